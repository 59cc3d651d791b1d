"""Errors keep their class, errno and message, and nothing more is printed."""

import pytest
from running import Mode

# However Quarry is there, errors are the same.
VARIANTS = {
    "connector": (Mode.CONNECTOR, "bytes=on"),
    "without bytes": (Mode.CONNECTOR, "bytes=off"),
    "lying": (Mode.LYING, ""),
}


@pytest.fixture(params=VARIANTS)
def same_errors(request, both):
    mode, options = VARIANTS[request.param]

    def check(code: str, at_least: int):
        imports = "import os, h5py, numpy as np\nfrom attempt import attempt\n"
        outcome = both(imports + code, mode=mode, options=options, files="any")
        assert outcome.stdout.count("Error") >= at_least, outcome.stdout
        assert outcome.stderr == ""
        return outcome

    return check


@pytest.mark.hazard(3, 6)
def test_opening_what_is_not_there_or_not_hdf5(same_errors):
    outcome = same_errors(
        """
os.mkdir("folder")
open("empty", "w").close()
open("text", "w").write("not HDF5 " * 1000)
os.symlink("nowhere", "dangling")
open("netcdf3.nc", "wb").write(b"CDF\\x01" + bytes(1000))
inside = ("missing/inside", "text/inside")
for name in ("missing", "folder", "empty", "text", "dangling", "netcdf3.nc", *inside, "a" * 300):
    for mode in ("r", "r+", "a", "w", "w-"):
        if name not in ("text", "empty", "netcdf3.nc", "dangling") or mode in ("r", "r+", "w-"):
            attempt(f"{name[:20]} {mode}", lambda: h5py.File(name, mode).close())
            if name == "missing" and mode in "aw":
                os.remove(name)
    attempt(f"is_hdf5 {name[:20]}", lambda: h5py.is_hdf5(name))
    attempt(f"low level {name[:20]}", lambda: h5py.h5f.open(name.encode()).close())
for driver in ("sec2", "stdio", "core", "family", "fileobj", "nonsense"):
    attempt(driver, lambda: h5py.File("missing", "r", driver=driver))
""",
        40,
    )
    assert "FileNotFoundError | 2 |" in outcome.stdout
    assert "IsADirectoryError | 21 |" in outcome.stdout
    assert "FileExistsError | 17 |" in outcome.stdout
    assert "NotADirectoryError | 20 |" in outcome.stdout


@pytest.mark.hazard(3)
@pytest.mark.parametrize("wheel", ("h5py", "netCDF4"))
def test_whole_error_stack(both, wheel):
    """What a C program prints. An error of ours while HDF5 probes would show up in the middle of it."""
    outcome = both(
        rf"""
import ctypes, {wheel}, re
path = re.search(r"\S*/{wheel.lower()}\.libs/libhdf5-\S*", open("/proc/self/maps").read())[0]
hdf5 = ctypes.CDLL(path)
printer = ctypes.cast(hdf5.H5Eprint2, ctypes.c_void_p)
hdf5.H5Eset_auto2(ctypes.c_int64(0), printer, None)
open("text", "w").write("text" * 999)
for name in (b"missing", b"text"):
    print(hdf5.H5Fopen(name, 0, ctypes.c_int64(0)))
""",
        mode=Mode.LYING,
        files="any",
    )
    assert outcome.stderr.count("open failed") >= 2


@pytest.mark.hazard(6)
def test_missing_member_of_a_split_file(both):
    """Not with the plugin merely lying there: HDF5 copies the access list for every connector that it
    probes, and this driver forgets all errors when it is copied."""
    outcome = both(
        "import h5py\nfrom attempt import attempt\nattempt('split', lambda: h5py.File('a', driver='split'))"
    )
    assert "OSError" in outcome.stdout


@pytest.mark.hazard(3, 6)
def test_no_permission(same_errors):
    """A child that gives up being root, with everything loaded before: it may not see our folders."""
    outcome = same_errors(
        """
for name in ("secret", "readonly"):
    h5py.File(name, "w").close()
attempt("missing", lambda: h5py.File("missing", "r"))
os.chmod("secret", 0)
os.chmod("readonly", 0o444)
os.chmod(".", 0o555)
if os.getuid() == 0:
    os.setuid(65534)
for name in ("secret", "readonly", "new"):
    for mode in ("r", "r+", "a", "w", "w-"):
        attempt(f"{name} {mode}", lambda: h5py.File(name, mode).close())
""",
        10,
    )
    assert "PermissionError | 13 |" in outcome.stdout


@pytest.mark.hazard(6)
def test_locked_by_another_process(same_errors):
    outcome = same_errors(
        """
import subprocess, sys
hold = "import h5py, sys; f = h5py.File('held', sys.argv[1]); print('ready', flush=True); input()"
for theirs in ("r+", "r"):
    h5py.File("held", "w").close()
    holder = subprocess.Popen([sys.executable, "-c", hold, theirs], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    for mode in ("r", "r+", "a", "w", "w-"):
        attempt(f"{theirs} {mode}", lambda: h5py.File("held", mode).close())
    attempt(f"{theirs} unlocked", lambda: h5py.File("held", "r", locking=False).close())
    holder.communicate(b"\\n"), os.remove("held")
""",
        6,
    )
    assert "BlockingIOError | 11 |" in outcome.stdout


@pytest.mark.hazard(6)
def test_opened_twice(same_errors):
    same_errors(
        """
f = h5py.File("twice", "w")
for mode in ("r", "r+", "a", "w", "w-"):
    attempt(mode, lambda: h5py.File("twice", mode).mode)
f.close()
f = h5py.File("twice", "r")
for mode in ("r", "r+", "a", "w"):
    attempt(mode, lambda: h5py.File("twice", mode).mode)
os.link("twice", "link")
attempt("other name", lambda: h5py.File("link", "r+").mode)
attempt("libver", lambda: h5py.File("twice", "r", libver="latest").mode)
attempt("locking", lambda: h5py.File("twice", "r", locking=False).mode)
""",
        6,
    )


@pytest.mark.hazard(5)
def test_objects_that_are_not_there_or_not_that(same_errors):
    outcome = same_errors(
        """
f = h5py.File("objects", "w")
f["d"] = np.arange(10)
f.create_group("g").attrs["a"] = 1
f["soft"] = h5py.SoftLink("/nowhere")
f["loop"] = h5py.SoftLink("/loop")
f["outside"] = h5py.ExternalLink("missing.h5", "/x")
f["inside"] = h5py.ExternalLink("objects", "/nowhere")
f["text"] = h5py.ExternalLink("text", "/x")
open("text", "w").write("text" * 999)
f.create_dataset("strings", data=["a"], dtype=h5py.string_dtype())
f.create_dataset("chunked", (10,), "i4", chunks=(5,), maxshape=(None,))
for name in ("x", "g/x", "x/y", "d/y", "soft", "loop", "outside", "inside", "text", "/", ""):
    attempt("get " + name, lambda: f[name])
    attempt("has " + name, lambda: name in f)
    attempt("info " + name, lambda: h5py.h5o.get_info(f.id, name.encode()).type)
for name in ("x", "g/x", "soft", "outside"):
    attempt("delete " + name, lambda: f.__delitem__(name))
attempt("attribute", lambda: f["g"].attrs["b"])
attempt("delete attribute", lambda: f["g"].attrs.__delitem__("b"))
attempt("attribute too big", lambda: f["g"].attrs.__setitem__("big", np.zeros(100000)))
attempt("create twice", lambda: f.create_dataset("d", (3,), "i4"))
attempt("group twice", lambda: f.create_group("g"))
attempt("require type", lambda: f.require_dataset("d", (10,), "f4", exact=True))
attempt("require shape", lambda: f.require_dataset("d", (11,), "i8"))
attempt("require group", lambda: f.require_group("d"))
attempt("index", lambda: f["d"][20])
attempt("indices", lambda: f["d"][[3, 1]])
attempt("shape", lambda: f["d"].__setitem__(slice(0, 3), np.arange(4)))
attempt("type", lambda: f["d"].__setitem__(0, "text"))
attempt("strings from numbers", lambda: f["strings"].__setitem__(0, 3.5))
attempt("resize", lambda: f["d"].resize((20,)))
attempt("filter", lambda: f.create_dataset("z", (9,), "i4", compression=32018))
attempt("chunks", lambda: f.create_dataset("c", (9,), "i4", chunks=(20,)))
attempt("fletcher of vlen", lambda: f.create_dataset("v", (9,), h5py.vlen_dtype("i4"), fletcher32=True)[...])
attempt("chunk", lambda: f["chunked"].id.read_direct_chunk((5,)))
attempt("chunk offset", lambda: f["chunked"].id.read_direct_chunk((3,)))
attempt("chunk of contiguous", lambda: f["d"].id.read_direct_chunk((0,)))
attempt("move", lambda: f.move("x", "y"))
attempt("copy", lambda: f.copy("x", "y"))
attempt("self copy", lambda: f.copy("d", "d"))
attempt("null reference", lambda: f[h5py.Reference()])
kept = f["d"]
attribute = f["g"].attrs
f.close()
for label, action in {
    "read closed": lambda: kept[...], "shape closed": lambda: kept.shape, "attribute closed": lambda: attribute["a"],
    "file closed": lambda: f["d"], "flush closed": lambda: f.flush(), "close closed": lambda: f.close(),
    "keys closed": lambda: list(f), "name closed": lambda: kept.name, "repr closed": lambda: repr(kept) + repr(f),
}.items():
    attempt(label, action)
f = h5py.File("objects", "r")
attempt("write", lambda: f["d"].__setitem__(0, 1))
attempt("create", lambda: f.create_group("new"))
attempt("delete", lambda: f.__delitem__("d"))
attempt("attribute", lambda: f.attrs.__setitem__("a", 1))
attempt("swmr", lambda: setattr(f, "swmr_mode", True))
""",
        50,
    )
    assert "KeyError" in outcome.stdout


def test_wrong_arguments(same_errors):
    same_errors(
        """
for options in (
    {"driver": "none"}, {"libver": "v1"}, {"userblock_size": 3}, {"locking": "maybe"}, {"fs_strategy": "x"},
    {"fs_page_size": 3, "fs_strategy": "page"}, {"rdcc_w0": 7}, {"track_order": True, "nonsense": 1},
    {"meta_block_size": -1}, {"alignment_interval": -3}, {"page_buf_size": 4096}, {"driver": "core", "block_size": 0},
):
    attempt(options, lambda: h5py.File("arguments", "w", **options).close())
attempt("mode", lambda: h5py.File("arguments", "q"))
attempt("type", lambda: h5py.File(3.5, "r"))
attempt("nul", lambda: h5py.File("a\\0b", "w"))
attempt("file-like", lambda: h5py.File(object(), "r"))
attempt("user block", lambda: h5py.File("arguments", "a", userblock_size=512))
""",
        8,
    )


def test_missing_filter(same_errors):
    """A filter that nobody has, in a file that another program has written."""
    same_errors(
        """
plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
plist.set_chunk((10,))
with h5py.File("filtered", "w") as f:
    d = f.create_dataset("d", data=np.arange(10), chunks=(10,), compression="gzip")
data = open("filtered", "rb").read()
# The filter message names filter 1, "deflate"; 9999 is unknown to everyone.
at = data.index(b"deflate") - 8
open("filtered", "wb").write(data[:at] + (9999).to_bytes(2, "little") + data[at + 2:])
f = h5py.File("filtered")
attempt("read", lambda: f["d"][...])
attempt("filters", lambda: (f["d"].compression, f["d"].chunks))
""",
        1,
    )
