"""External links, virtual datasets and references lead below the object layer."""

import pytest


@pytest.mark.hazard(9)
@pytest.mark.parametrize("options", ("bytes=on", "bytes=off"))
def test_external_links(both, fixed_clock, options):
    """h5py puts an access list for external links on every open, with a driver that is not ours."""
    both(
        """
import h5py, numpy as np
from attempt import attempt
target = h5py.File("target.h5", "w")
target["x"] = np.arange(10)
target.create_group("g").attrs["a"] = 1
source = h5py.File("source.h5", "w")
source["link"] = h5py.ExternalLink("target.h5", "/x")
source["group"] = h5py.ExternalLink("target.h5", "/g")
source["self"] = h5py.ExternalLink("source.h5", "/own")
source["own"] = 5
# Into a file that is open for writing: HDF5 must see that it is the same file.
print(source["link"][...], source["link"].file.filename, source["link"].file.mode, source["self"][()])
source["link"][0] = 99
print(target["x"][0], source["link"].file == target, source["link"] == target["x"])
target["x"][1] = 98
print(source["link"][1], source["group"].attrs["a"])
source["group"].create_dataset("new", data=[1, 2])
print(sorted(target["g"]))
for mode in ("r", "r+"):
    target.close()
    target = h5py.File("target.h5", mode)
    attempt(mode, lambda: (source["link"][0], source["link"].file.mode))
target.close()
print(source["link"][1], source["link"].file.mode, source["link"].file.driver)
source.close()
# Now the other way: reached through the link first.
source = h5py.File("source.h5", "r")
reached = source["link"]
print(reached[0], h5py.File("target.h5", "r")["x"] == reached)
chain = h5py.File("chain.h5", "w")
chain["link"] = h5py.ExternalLink("source.h5", "/link")
attempt("chain", lambda: chain["link"][2])
reached.file.close(), source.close()
attempt("chain", lambda: (chain["link"][2], chain["link"].file.filename))
print(chain.get("link", getlink=True).filename, chain.get("link", getclass=True))
for driver in ("core", "stdio"):
    with h5py.File("source.h5", "r", driver=driver) as other:
        attempt(driver, lambda: (other.driver, other["link"][3], other["link"].file.driver))
""",
        options=options,
        env=fixed_clock,
    )


@pytest.mark.hazard(9)
def test_external_link_with_an_access_list_of_its_own(both, fixed_clock):
    both(
        """
import h5py, numpy as np
from attempt import attempt
with h5py.File("target.h5", "w") as f:
    f["x"] = np.arange(10)
with h5py.File("source.h5", "w") as f:
    f["link"] = h5py.ExternalLink("target.h5", "/x")
for driver in ("sec2", "stdio", "core"):
    access = h5py.h5p.create(h5py.h5p.LINK_ACCESS)
    files = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    getattr(files, "set_fapl_" + driver)()
    access.set_elink_fapl(files)
    access.set_elink_prefix(b".")
    f = h5py.h5f.open(b"source.h5")
    for keep in (False, True):
        # With the target open through another driver, HDF5 natively sees two files, and a lock.
        d = h5py.Dataset(h5py.h5d.open(f, b"link")) if keep else None
        attempt(f"{driver} {keep}", lambda: h5py.Dataset(h5py.h5o.open(f, b"link", access)).file.driver)
    print(d[3], d.file.driver)
    print(access.get_elink_fapl().get_driver() == files.get_driver())
""",
        env=fixed_clock,
    )


@pytest.mark.hazard(9)
def test_virtual_datasets(both, fixed_clock):
    both(
        """
import h5py, os, numpy as np
os.mkdir("sub")
for number in range(4):
    with h5py.File(f"sub/part{number}.h5", "w") as f:
        f["x"] = np.arange(5) + 10 * number
whole = h5py.VirtualLayout((4, 5), "i8")
for number in range(4):
    whole[number] = h5py.VirtualSource(f"sub/part{number}.h5", "x", (5,))
with h5py.File("whole.h5", "w") as f:
    f.create_virtual_dataset("v", whole, fillvalue=-1)
    part = h5py.File("sub/part1.h5", "r+")
    print(f["v"][...].tolist(), f["v"].virtual_sources()[1].file_name)
    part["x"][0] = 77
    print(f["v"][1, 0])
    f["v"][2, 2] = 55
    part.close()
os.remove("sub/part3.h5")
with h5py.File("whole.h5", "r") as f, h5py.File("sub/part2.h5", "r") as part:
    print(f["v"][...].tolist(), part["x"][2])
with h5py.File("prefix.h5", "w") as f:
    f.create_dataset("raw", (10,), "i4", external=[("raw.bin", 0, 20), ("rest.bin", 0, h5py.h5f.UNLIMITED)])
    f["raw"][...] = np.arange(10)
    print(f["raw"].external, f["raw"][::3])
""",
        env=fixed_clock,
    )


@pytest.mark.hazard(5)
def test_references(both, fixed_clock):
    both(
        """
import h5py, numpy as np
f = h5py.File("references.h5", "w")
d = f.create_dataset("d", data=np.arange(100).reshape(10, 10))
g = f.create_group("g")
f.create_dataset("objects", data=[d.ref, g.ref, f.ref], dtype=h5py.ref_dtype)
f.create_dataset("regions", data=[d.regionref[2:4, 3], d.regionref[::2]], dtype=h5py.regionref_dtype)
g.attrs["to"] = d.ref
f.close()
f = h5py.File("references.h5", "r")
for reference in f["objects"]:
    print(f[reference].name, h5py.h5r.get_name(reference, f.id), h5py.h5r.get_obj_type(reference, f.id), bool(reference))
for region in f["regions"]:
    print(f[region].name, f["d"][region].tolist(), f["d"].regionref.shape(region), f["d"].regionref.selection(region))
print(f[f["g"].attrs["to"]][0])
""",
        env=fixed_clock,
    )


def test_links_of_all_kinds(both, fixed_clock):
    both(
        """
import h5py, numpy as np
f = h5py.File("links.h5", "w", track_order=True)
f["a/b/c"] = 1
f["hard"] = f["a/b"]
f["soft"] = h5py.SoftLink("/a/b/c")
f["far"] = h5py.ExternalLink("other.h5", "/")
for name in f:
    print(name, f.get(name, getclass=True, getlink=True).__name__, f.get(name, getlink=True).__class__.__name__)
f.move("hard", "a/moved")
f.copy("a", "copy")
f.copy(f["a"], f, "shallow", shallow=True)
f.copy("soft", "expanded", expand_soft=True)
other = h5py.File("other.h5", "w")
f.copy("a", other, "from")
f.copy("far", "expanded-far", expand_external=True)
print(sorted(other), sorted(f), f["expanded"][()])
found = []
f.visit(found.append)
f.visititems(lambda name, item: found.append((name, type(item).__name__)))
f.visit_links(found.append)
print(found)
info = f.id.links.get_info(b"soft")
print(info.type, info.corder_valid, info.corder, f.id.links.get_val(b"far"))
f.id.links.iterate(lambda name: print(name), idx_type=h5py.h5.INDEX_CRT_ORDER)
mounted = h5py.File("mounted.h5", "w")
mounted["inside"] = 3
f.create_group("mount")
h5py.h5f.mount(f.id, b"mount", mounted.id)
print(f["mount/inside"][()], f["mount"].file.filename)
h5py.h5f.unmount(f.id, b"mount")
print(list(f["mount"]))
""",
        env=fixed_clock,
    )
