"""Whichever file driver h5py's user has chosen stays what it was."""

import pytest


@pytest.mark.hazard(6)
@pytest.mark.parametrize(
    "driver", ("sec2", "stdio", "core", "core without file", "family", "split", "default")
)
def test_driver_and_access_list(both, fixed_clock, driver):
    options = {
        "core without file": "driver='core', backing_store=False, block_size=4096",
        "family": "driver='family', memb_size=2000",
        "default": "",
    }.get(driver, f"driver={driver!r}")
    outcome = both(
        f"""
import h5py, os, numpy as np
from attempt import attempt
name = "file%d.h5" if {driver!r} == "family" else "file.h5"
for mode in ("w", "r+", "r"):
    if mode != "w" and {driver!r} == "core without file":
        break
    with h5py.File(name, mode, rdcc_nbytes=5000, locking=True, {options}) as f:
        access = f.id.get_access_plist()
        print(f.driver, f.name, f.filename, f.mode, f.libver, f.swmr_mode, f.userblock_size)
        print(access.get_driver() == h5py.h5f.FileID.get_access_plist(f.id).get_driver(), f.id.get_filesize())
        print(access.get_cache(), access.get_alignment(), access.get_fclose_degree(), access.get_sieve_buf_size(),
              access.get_libver_bounds(), access.get_meta_block_size(), access.get_file_locking(),
              access.get_mdc_config().max_size)
        if f.driver == "core":
            print(access.get_fapl_core())
        if f.driver == "family":
            print(access.get_fapl_family()[0])
        # The list must open the same file again, and be what a copy of it is.
        print(access.copy().equal(access), h5py.h5p.create(h5py.h5p.FILE_ACCESS).get_driver() == h5py.h5fd.SEC2)
        if mode == "w":
            f["x"] = np.arange(1000)
            f.attrs["a"] = "text"
        f.flush()
        print(f["x"][-1], f.attrs["a"])
        flags = h5py.h5f.ACC_RDONLY if mode == "r" else h5py.h5f.ACC_RDWR
        attempt("again", lambda: h5py.h5f.open(name.encode(), flags, access) == f.id)
print(sorted(os.listdir()))
""",
        env=fixed_clock,
    )
    assert "True" in outcome.stdout


@pytest.mark.hazard(6)
def test_file_like_objects(both, fixed_clock):
    both(
        """
import h5py, io, os, tempfile, numpy as np
memory = io.BytesIO()
with h5py.File(memory, "w") as f:
    f["x"] = np.arange(1000)
    print(f.driver, f.filename.split("<")[0], f.id.get_filesize())
print(len(memory.getvalue()))
with h5py.File(memory, "r") as f:
    print(f["x"][...].sum(), f.driver)
with open("raw.h5", "w+b", buffering=0) as raw, h5py.File(raw, "w", libver="latest") as f:
    f.create_dataset("z", data=np.arange(5000), chunks=(500,), compression="gzip")
    f.flush()
    print(raw.tell() >= 0, f["z"][-1])
with open("raw.h5", "rb") as raw, h5py.File(raw, "r") as f:
    print(f["z"][::999])

class Failing(io.BytesIO):
    def readinto(self, buffer):
        raise RuntimeError("cannot read")

try:
    h5py.File(Failing(memory.getvalue()), "r")
except Exception as error:
    print(type(error).__name__, error)
try:
    h5py.File(io.BytesIO(b"not HDF5" * 500), "r")
except Exception as error:
    print(type(error).__name__, error)
# Many of them, each with a driver info of its own.
for number in range(50):
    with h5py.File(io.BytesIO(), "w") as f:
        f["x"] = number
open("memory.h5", "wb").write(memory.getvalue())
""",
        env=fixed_clock,
    )


@pytest.mark.hazard(5, 6)
def test_images(both, fixed_clock):
    both(
        """
import h5py, numpy as np
with h5py.File("file.h5", "w") as f:
    f["x"] = np.arange(100)
    f.flush()
    image = f.id.get_file_image()
print(len(image))
with h5py.File(h5py.h5f.open_file_image(image)) as f:
    print(f["x"][...].sum(), f.driver, f.filename)
with h5py.File.in_memory() as f:
    f["y"] = np.arange(50)
    f.flush()
    image = f.id.get_file_image()
    print(f.driver, len(image))
with h5py.File.in_memory(image) as f:
    print(f["y"][-1])
access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
access.set_fapl_core(backing_store=False)
access.set_file_image(image)
print(h5py.File(h5py.h5f.open(b"image", h5py.h5f.ACC_RDONLY, access))["y"][3])
with h5py.File("core.h5", "w", driver="core") as f:
    f["z"] = 1
print(h5py.File("core.h5")["z"][()])
""",
        env=fixed_clock,
    )


def test_keywords(both, fixed_clock):
    both(
        """
import h5py, numpy as np
for number, options in enumerate((
    {"libver": "latest"}, {"libver": ("v110", "v114")}, {"userblock_size": 1024}, {"locking": False},
    {"locking": "best-effort"}, {"fs_strategy": "page", "fs_page_size": 4096}, {"meta_block_size": 8192},
    {"alignment_threshold": 1, "alignment_interval": 512}, {"track_order": True},
    {"rdcc_nslots": 7, "rdcc_nbytes": 99, "rdcc_w0": 0.1},
)):
    name = f"{number}.h5"
    with h5py.File(name, "w", **options) as f:
        f["x"] = np.arange(100)
        print(options, f.libver, f.userblock_size, f.id.get_access_plist().get_cache(), f.meta_block_size)
    with h5py.File(name, "r", **{k: v for k, v in options.items() if k in ("libver", "locking", "rdcc_nbytes")}) as f:
        print(f["x"][7], f.userblock_size, f.id.get_create_plist().get_userblock())
with h5py.File("5.h5", "r", page_buf_size=4096) as f:
    print(f["x"][8], f.id.get_page_buffering_stats() if hasattr(f.id, "get_page_buffering_stats") else None)
with open("2.h5", "r+b") as raw:
    raw.write(b"user block")
print(h5py.File("2.h5")["x"][9], h5py.is_hdf5("2.h5"))
""",
        env=fixed_clock,
    )
