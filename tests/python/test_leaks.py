"""Nothing grows: memory, open files and HDF5 objects, over ten thousand opens."""

import pytest
from running import Mode

COUNT = 10_000
WARM = 2_000
SLACK_KIB = 120  # an allocator's whims; leaking one pointer each time would be 250 KiB

# `step` is done COUNT times; printed are the growth of memory since WARM, and what is open at the end.
MEASURE = """
import gc, os
import h5py, netCDF4, numpy as np

def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

{prepare}

for number in range({count}):
    if number == {warm}:
        before = resident()
        files = len(os.listdir("/proc/self/fd"))
    {step}
print(resident() - before, len(os.listdir("/proc/self/fd")) - files, h5py.h5f.get_obj_count())
"""

VIRTUAL = """
h5py.File("b.h5", "w")["x"] = np.arange(3)
f = h5py.File("a.h5", "w")
v = h5py.VirtualLayout((3,), "i8")
v[:] = h5py.VirtualSource("b.h5", "x", (3,))
f.create_virtual_dataset("v", v)
"""

LINK = """
h5py.File("b.h5", "w")["x"] = np.arange(3)
f = h5py.File("a.h5", "w")
f["link"] = h5py.ExternalLink("b.h5", "x")
"""

NETCDF = """
with netCDF4.Dataset("a.nc", "w") as d:
    d.createDimension("x", 3)
    d.createVariable("v", "i4", ("x",))
"""

STEPS = {
    "h5py open": (
        "h5py.File('a.h5', 'w')['x'] = np.arange(3)",
        "h5py.File('a.h5', 'r').close()",
    ),
    "h5py create": ("", "h5py.File('a.h5', 'w').close()"),
    "h5py core driver": ("", "h5py.File('a.h5', 'w', driver='core', backing_store=False).close()"),
    "h5py file-like object": (
        "import io; b = io.BytesIO(); h5py.File(b, 'w').close()",
        "h5py.File(b, 'r').close()",
    ),
    "netCDF4 open": (NETCDF, "netCDF4.Dataset('a.nc').close()"),
    "dataset": (
        "f = h5py.File('a.h5', 'w'); f['x'] = np.arange(3); f['x'].attrs['a'] = 'text'",
        "f['x'][...], f['x'].attrs['a']",
    ),
    "create and delete": ("f = h5py.File('a.h5', 'w')", "f.create_group('g')['d'] = 1; del f['g']"),
    "missing file": ("", "try: h5py.File('missing', 'r')\n    except OSError: pass"),
    "missing file, netCDF4": ("", "try: netCDF4.Dataset('missing.nc')\n    except OSError: pass"),
    "missing object": (
        "f = h5py.File('a.h5', 'w')",
        "try: f['missing']\n    except KeyError: pass",
    ),
    "not HDF5": (
        "open('text', 'w').write('text' * 999)",
        "try: h5py.File('text', 'r')\n    except OSError: pass",
    ),
    "external link": (LINK, "f['link'][0]"),
    "broken external link": (
        "f = h5py.File('a.h5', 'w'); f['link'] = h5py.ExternalLink('missing', 'x')",
        "try: f['link']\n    except KeyError: pass",
    ),
    "virtual dataset": (VIRTUAL, "f['v'][...]"),
    "access list": (
        "f = h5py.File('a.h5', 'w')",
        "f.driver, f.id.get_access_plist(), f.id.get_create_plist()",
    ),
    "reference": (
        "f = h5py.File('a.h5', 'w'); f['x'] = 1; r = f['x'].ref",
        "f[r].name, f['x'].ref",
    ),
}


OFTEN = ("h5py open", "netCDF4 open", "dataset", "missing file", "external link")


@pytest.mark.parametrize(
    "what",
    [step if step in OFTEN else pytest.param(step, marks=pytest.mark.slow) for step in STEPS],
)
def test_nothing_grows(run_python, what):
    prepare, step = STEPS[what]
    few = run_python(MEASURE.format(prepare=prepare, step=step, count=20, warm=10), Mode.BASELINE)
    _, *natively_open = few.stdout.split()
    many = MEASURE.format(prepare=prepare, step=step, count=COUNT, warm=WARM)
    outcome = run_python(many, Mode.CONNECTOR)
    growth, *still_open = outcome.stdout.split()
    assert still_open == natively_open
    if int(growth) > SLACK_KIB:
        # HDF5 itself may grow; Quarry must not add to it.
        native_growth = int(run_python(many, Mode.BASELINE).stdout.split()[0])
        assert int(growth) <= native_growth + SLACK_KIB, (
            f"{growth} KiB instead of {native_growth} KiB"
        )
