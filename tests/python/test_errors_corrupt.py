"""Damaged files fail, or do not fail, as they do natively: a connector must not fall over them."""

import os

import pytest
from running import Mode

# Looks at everything in a file that can be looked at.
LOOK = """
import os, random, sys
from attempt import attempt

def look(name):
    def walk():
        found = []
        with h5py.File(name, "r") as f:
            found.append(sorted(f.attrs.items()))
            for key in sorted(f):
                item = f[key]
                found.append((key, item.shape, item[...].tolist()) if isinstance(item, h5py.Dataset) else key)
        return str(found)[:200]
    attempt(name, walk)

def look_netcdf(name):
    def walk():
        with netCDF4.Dataset(name) as f:
            return str([(key, v.shape, v[...].sum() if v.dtype != str else "") for key, v in f.variables.items()])[:200]
    attempt(name, walk)
"""

WRITE = """
import h5py, netCDF4, numpy as np
with h5py.File("whole", "w", libver=libver) as f:
    f["contiguous"] = np.arange(50)
    f.create_dataset("chunked", data=np.arange(300), chunks=(50,), compression="gzip", fletcher32=True)
    f.create_dataset("strings", data=["one", "two" * 50], dtype=h5py.string_dtype())
    f.attrs["text"] = "attribute"
    f.create_group("group").attrs["big"] = np.arange(200)
data = open("whole", "rb").read()
"""


@pytest.mark.parametrize("libver", ("earliest", "latest"))
@pytest.mark.parametrize("options", ("bytes=on", "bytes=off"))
def test_truncated(both, libver, options):
    outcome = both(
        f"""libver = {libver!r}
{WRITE}{LOOK}
for size in sorted({{0, 1, 7, 8, 9, 47, 48, 95, 96, 200, 512, 800, *range(1000, len(data), 399), len(data) - 1}}):
    open("cut", "wb").write(data[:size])
    look("cut")
    look_netcdf("cut")
""",
        options=options,
        files="any",
    )
    assert outcome.stdout.count("Error") > 10


def flip_bits(libver: str, seed: str) -> str:
    return f"""libver = {libver!r}
{WRITE}{LOOK}
import signal
signal.alarm(60)  # damage can make circles that HDF5 follows for ever
dice = random.Random({seed!r})
for number in range(120):
    damaged = bytearray(data)
    # Files begin with their superblock and root group: damage there is found at once.
    at = dice.randrange(len(data)) if number % 2 else dice.randrange(400)
    damaged[at] ^= 1 << dice.randrange(8)
    open("flipped", "wb").write(damaged)
    print(at, flush=True)
    look("flipped")
"""


@pytest.mark.parametrize("libver", ("earliest", "latest"))
def test_flipped_bits(both, run_python, libver):
    """Where the damage lies is drawn; some of it HDF5 cannot notice."""
    # Over some damage HDF5 itself falls or hangs, with or without us: then there is nothing to compare.
    for attempt in range(5):
        seed = f"{os.environ['QUARRY_SEED']} {attempt}"
        if run_python(flip_bits(libver, seed), Mode.BASELINE).status == 0:
            break
    outcome = both(flip_bits(libver, seed), files="any")
    assert outcome.stdout.count("Error") > 10
