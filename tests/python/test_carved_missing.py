"""What was carved away is read from its original, however a program asks for it; else it is refused by name."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carved_runs import DATASETS, LOOK, natively, on_carved
from carving import run

from cli import REPOSITORY, quarry, record

ACCESSES = REPOSITORY / "build/bin/accesses"


def test_with_the_original_nothing_is_seen_of_the_carving(carved: Path) -> None:
    folder = carved.parent
    done = on_carved(folder, LOOK, "in.h5", *DATASETS)
    assert done.stdout == natively(folder, LOOK, "in.h5", *DATASETS), done.stderr
    assert f"was read from {carved}" in done.stderr and "/gzip" in done.stderr
    assert "/used" not in done.stderr and "--grow" in done.stderr


@pytest.mark.parametrize(
    "way",
    (
        "f['gzip'][5]",
        "f['group/link'][5]",
        "f[f['gzip'].ref][5]",
        "f['group']['soft'][5]",
        "h5py.Dataset(h5py.h5o.open(f['group'].id, b'link'))[5]",
        "h5py.Dataset(h5py.h5d.open(f.id, b'group/link'))[5]",
        "[f[n][5] for n in f if n == 'gzip'][0]",
        "length_of(f['words'])",
    ),
)
def test_any_way_of_opening(carved: Path, way: str) -> None:
    program = f"""
import ctypes, h5py
def length_of(d):
    (path, *_) = (line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line or "libhdf5.so" in line)
    size = ctypes.c_uint64()
    asked = (d.id, d.id.get_type(), d.id.get_space())
    ids = (ctypes.c_int64(one.id) for one in asked)
    return ctypes.CDLL(path).H5Dvlen_get_buf_size(*ids, ctypes.byref(size)), size.value
f = h5py.File("in.h5")
print({way})
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program), done.stderr
    assert "was read from" in done.stderr


def test_opening_by_number(carved: Path) -> None:
    """Of which h5py knows nothing."""
    program = """
import ctypes, h5py
f = h5py.File("in.h5")
words = open("/proc/self/maps").read().split()
library = ctypes.CDLL(next(word for word in words if "h5py" in word and "libhdf5-" in word))
library.H5Oopen_by_idx.restype = file = ctypes.c_int64
number = ctypes.c_uint64(sorted(f).index("gzip"))
opened = library.H5Oopen_by_idx(file(f.id.id), b"/", 0, 0, number, file(0))
d = h5py.Dataset(h5py.h5d.DatasetID(opened))
print(d.name, d.chunks, d[5])
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program) != ""
    assert "/gzip" in done.stderr


def test_the_program_changes_its_directory(carved: Path) -> None:
    """HDF5 knows a file by the name it was opened by, which then leads elsewhere."""
    program = "import h5py, os; f = h5py.File('in.h5'); os.chdir('/'); print(f['gzip'][5])"
    assert on_carved(carved.parent, program).stdout == natively(carved.parent, program)


@pytest.mark.parametrize("others", (0, 10_050))
def test_the_program_goes_where_another_file_has_the_same_name(tmp_path: Path, others: int) -> None:
    """Also after it has opened many others."""
    for number, folder in enumerate(("one", "two")):
        (tmp_path / folder).mkdir()
        with h5py.File(tmp_path / folder / "in.h5", "w") as f:
            f["read"], f["unread"] = [number], np.full(10_000, number)
    run(tmp_path, "import h5py; [h5py.File(f'{n}/in.h5')['read'][0] for n in ('one', 'two')]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = 1
    program = f"""
import h5py, os
os.chdir("one")
f = h5py.File("in.h5")
for i in range({others}):
    h5py.h5f.open(b"../other.h5", h5py.h5f.ACC_RDONLY).close()
os.chdir("../two")
print(f["unread"][0], h5py.File("in.h5")["unread"][0])
"""
    assert on_carved(tmp_path, program).stdout == "0 1\n"


@pytest.mark.parametrize("kind", ("references", "regions", "in_compounds"))
def test_references_are_not_taken_from_the_original(tmp_path: Path, kind: str) -> None:
    """They hold places of objects, at which there is something else in the carved file."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"], f["unread"] = [1], np.arange(10_000)
        targets = [f.create_dataset(f"target {i}", data=np.full(100, i)) for i in range(300)]
        values, dtype = {
            "references": ([one.ref for one in targets], h5py.ref_dtype),
            "regions": ([one.regionref[:2] for one in targets], h5py.regionref_dtype),
            "in_compounds": (
                [(1, one.ref) for one in targets],
                [("a", "i4"), ("b", h5py.ref_dtype)],
            ),
        }[kind]
        f["pointers"] = np.array(values * 30, dtype)
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][0]")
    assert quarry("carve", "t", "-o", "small", "--keep-below", "0", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "import h5py; h5py.File('in.h5')['pointers'][0]")
    assert done.returncode == 1 and "OSError" in done.stderr
    assert "/pointers" in done.stderr and "refer" in done.stderr and "--keep" in done.stderr
    assert "was read from" not in done.stderr


# Reads the first element of some datasets.
SOME = """
import h5py, random, sys
draw = random.Random(int(sys.argv[1]))
for name in ("data.h5", "other.h5"):
    with h5py.File(name) as f:
        found = []
        f.visititems(lambda path, o: found.append(o) if isinstance(o, h5py.Dataset) else None)
        for one in found:
            if draw.random() < 0.5:
                one[(0,) * one.ndim]
"""


@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("granularity", ("object", "chunk"))
def test_random_accesses_in_c(tmp_path: Path, granularity: str, case: int) -> None:
    """Also several datasets in one call, regions, external links, chunks as they are stored."""
    seed = random.Random(f"{os.environ['QUARRY_SEED']} missing {case}").randrange(10**9)
    print("seed", seed)

    def accesses(what: str) -> list[str]:
        return [ACCESSES, what, str(seed), f"{what}.json"]

    subprocess.run(accesses("write"), cwd=tmp_path, check=True)
    command = [sys.executable, "-c", SOME, str(seed)]
    record(tmp_path, *command)
    words = ("--granularity", granularity, "--keep-below", "0")
    done = quarry("carve", "t", "-o", "small", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    before = subprocess.run(
        accesses("read"), cwd=tmp_path, check=True, capture_output=True, text=True
    )
    on_carved = ("run", "--no-trace", "--carved", "small")
    after = quarry(*on_carved, "--", *accesses("read"), cwd=tmp_path)
    assert (after.returncode, after.stdout) == (0, before.stdout), after.stderr
    assert all(line.startswith("quarry: ") for line in after.stderr.splitlines())
    alone = quarry(*on_carved, "--missing", "error", "--", *accesses("read"), cwd=tmp_path)
    # As few datasets as there may be, all could be kept.
    is_refused = alone.returncode == 1 and "was left out" in alone.stderr
    assert is_refused == ("was read from" in after.stderr)
    # Until then all was right.
    assert before.stdout.startswith(alone.stdout) if is_refused else alone.stdout == before.stdout


def test_without_the_original_it_is_refused_by_name(carved: Path) -> None:
    folder = carved.parent
    carved.rename(folder / "elsewhere.h5")
    used = "import h5py; print(h5py.File('in.h5')['used'][...].sum(), h5py.File('in.h5')['partly'][0, 0])"
    done = on_carved(folder, used)
    assert done.returncode == 0 and done.stderr == "" and done.stdout
    for name in ("contiguous", "gzip", "partly", "words", "pairs"):
        done = on_carved(folder, f"import h5py; h5py.File('in.h5')['{name}'][-1]")
        assert done.returncode == 1
        assert f"{carved}: what is asked for of /{name} was left out" in done.stderr
        assert "No such file" in done.stderr
    stub = "import h5py; h5py.File('in.h5')['partly'].id.read_direct_chunk((50, 0))"
    assert on_carved(folder, stub).returncode == 1
    kept = "import h5py; print(h5py.File('in.h5')['partly'].id.read_direct_chunk((0, 0))[0])"
    assert on_carved(folder, kept).stdout == "0\n"
    # Properties are the original's all the same.
    properties = """
import h5py, os
f = h5py.File('in.h5')
print(f['contiguous'].chunks, f['contiguous'].fillvalue)
for name in ('gzip', 'partly'):
    d = f[name].id
    infos = [d.get_chunk_info(i) for i in range(d.get_num_chunks())]
    print(len(infos), sum(one.size for one in infos) == d.get_storage_size())
    # Whoever reads them past HDF5 finds nothing, not something else.
    print(any(os.pread(os.open('in.h5', os.O_RDONLY), 9, one.byte_offset) for one in infos))
"""
    assert on_carved(folder, properties).stdout == "None 0.0\n" + "40 True\nFalse\n" * 2


@pytest.mark.parametrize("means", ("closed", "captured", "logged", "added to", "piped"))
def test_nothing_is_said_into_files_of_the_program(carved: Path, means: str) -> None:
    """That have the number of stderr, which it has closed; but into what was made to be that."""
    redirect = {
        "closed": "os.close(2); out = open('out', 'wb', buffering=0)",
        "captured": "out = tempfile.TemporaryFile(); os.dup2(out.fileno(), 2)",
        "logged": "out = open('out', 'w'); os.dup2(out.fileno(), 2)",
        "added to": "out = open('out', 'a+'); os.dup2(out.fileno(), 2)",
        "piped": "r, w = os.pipe(); os.dup2(w, 2)",
    }[means]
    program = f"""
import h5py, os, tempfile
f = h5py.File("in.h5")
{redirect}
os.write(2, b"data")
try:
    f["gzip"][5]
except OSError:
    pass
is_pipe = {means == "piped"}
print((len(os.read(r, 999)) if is_pipe else os.path.getsize("/proc/self/fd/2")) > 4)
"""
    done = on_carved(carved.parent, program, options=("--missing", "error"))
    assert done.stdout == ("False\n" if means == "closed" else "True\n"), done.stderr


def test_missing_error_reads_no_original(carved: Path) -> None:
    done = on_carved(
        carved.parent, "import h5py; h5py.File('in.h5')['gzip'][5]", options=("--missing", "error")
    )
    assert done.returncode == 1 and "--missing error" in done.stderr


def test_two_files_are_not_mistaken_for_each_other(tmp_path: Path) -> None:
    for name, value in (("a/in.h5", 1), ("b/in.h5", 2)):
        (tmp_path / name).parent.mkdir()
        with h5py.File(tmp_path / name, "w") as f:
            f["used"] = np.full(20000, value)
            f["unused"] = np.full(20000, 10 * value)
    run(tmp_path, "import h5py; [h5py.File(n)['used'][0] for n in ('a/in.h5', 'b/in.h5')]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
a, b = h5py.File("a/in.h5"), h5py.File("b/in.h5")
da, db = a["unused"], b["unused"]
print(da[0], db[0], a["used"][0], b["used"][0], da[1], db[1])
a.close()
print(db[5], h5py.File("a/in.h5")["unused"][7])
"""
    assert on_carved(tmp_path, program).stdout == "10 20 1 2 10 20\n20 10\n"


def test_originals_that_are_read_again_and_again(tmp_path: Path) -> None:
    """HDF5 keeps in a type which opening of a file it came from, and may find another there later."""
    for name in "ab":
        with h5py.File(tmp_path / f"{name}.h5", "w") as f:
            f["read"], f["large"] = 1, np.arange(40_000.0)
            rows = np.empty(9000, [("id", "i4"), ("name", h5py.string_dtype())])
            rows["id"], rows["name"] = np.arange(9000), [f"{name}-{i}" for i in range(9000)]
            f["rows"] = rows
            f["kind"] = np.dtype("i8")
            f.create_dataset("of kind", (20_000,), f["kind"])[...] = 1
    run(tmp_path, "import h5py; [h5py.File(f'{name}.h5')['read'][()] for name in 'ab']")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
f, g = h5py.File("a.h5"), h5py.File("b.h5")
first = f["rows"]
print(first[5:7])
second = f["rows"]
print(second[7:9])
del first
other = g["large"]
print(other[:3], second[5:7], list(second[1000:1003]))
print(f["of kind"][0])
with h5py.File("out.h5", "w") as out:
    f.copy("of kind", out)
    f.copy("rows", out)
    print(out["of kind"][0], out["rows"][5:7])
print(second[0], f["rows"][9:10])
"""
    done = on_carved(tmp_path, program)
    assert (done.returncode, done.stdout) == (0, natively(tmp_path, program)), done.stderr


def test_virtual_datasets_are_not_taken_from_the_original(tmp_path: Path) -> None:
    """HDF5 gives fill values where it does not find a source, and looks for them in many ways."""
    with h5py.File(tmp_path / "source.h5", "w") as f:
        f["d"] = np.arange(1000)
    layout = h5py.VirtualLayout((1000,), "i8")
    layout[:] = h5py.VirtualSource("source.h5", "d", (1000,))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        f.create_virtual_dataset("virtual", layout, fillvalue=-1)
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "import h5py; h5py.File('in.h5')['virtual'][0]")
    assert done.returncode == 1 and "/virtual" in done.stderr and "--keep" in done.stderr
    looks = """
import h5py
d = h5py.File("in.h5")["virtual"]
print(d.is_virtual, d.id.get_space_status(), d.id.get_storage_size())
"""
    assert on_carved(tmp_path, looks).stdout == natively(tmp_path, looks)


def test_files_behind_links_keep_their_place(tmp_path: Path) -> None:
    """Found by a relative prefix, and then the program goes elsewhere."""
    for folder, value in (("sub", 1), ("other/sub", 2)):
        (tmp_path / folder).mkdir(parents=True)
        with h5py.File(tmp_path / folder / "target.h5", "w") as f:
            f["group/d"] = np.full(1000, value)
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["link"] = h5py.ExternalLink("target.h5", "/group")
    names = "('in.h5', 'sub/target.h5', 'other/sub/target.h5')"
    run(tmp_path, f"import h5py; [h5py.File(name).attrs.get('x') for name in {names}]")
    words = ("carve", "t", "-o", "small", "--keep-below", "0")
    assert quarry(*words, cwd=tmp_path).returncode == 0
    program = """
import h5py, os
os.environ["HDF5_EXT_PREFIX"] = "sub"
group = h5py.File("in.h5")["link"]
os.chdir("other")
print(group["d"][0])
"""
    assert on_carved(tmp_path, program).stdout == "1\n"


def test_carved_files_that_are_opened_again_and_again(carved: Path) -> None:
    """What is known of an opening does not stay for ever: 95 bytes each would be 1.7 MB."""
    program = """
import h5py
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4
for number in range(20_000):
    if number == 2000: before = resident()
    h5py.File("in.h5")["used"].shape
print(resident() - before < 800, h5py.File("in.h5")["gzip"][5, 0])
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program), done.stderr


def test_programs_that_close_every_id(carved: Path) -> None:
    program = """
import h5py
f = h5py.File("in.h5")
d = f["gzip"]
print(d[0, 0])
for one in h5py.h5f.get_obj_ids(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE | h5py.h5f.OBJ_DATASET):
    if one.id not in (d.id.id, f.id.id):
        h5py.h5i.dec_ref(one)
others = [h5py.File(f"{i}.h5", "w") for i in range(20)]
print(d[0, 0])
"""
    assert on_carved(carved.parent, program).stdout == natively(carved.parent, program)


def test_netcdf_and_xarray(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as d:
        d.createDimension("t", 200)
        d.createDimension("x", 300)
        color = d.createEnumType("u1", "color", {"red": 0, "blue": 1})
        for name in ("a", "b", "c"):
            v = d.createVariable(
                name, "f8", ("t", "x"), zlib=True, chunksizes=(20, 50), fill_value=-1
            )
            v[:] = np.random.default_rng(2).random((200, 300))
            v.units = "m"
        d.createVariable("plain", "f8", ("t", "x"))[:] = 7
        d.createVariable("shade", color, ("t", "x"))[:] = np.ones((200, 300), "u1")
    look = """
import netCDF4, xarray, sys
with netCDF4.Dataset("in.nc") as d:
    for name in sys.argv[1:]:
        v = d[name]
        print(name, v[30:35].sum(), v.filters(), v.chunking(), v.get_var_chunk_cache(), v.get_fill_value() if hasattr(v, "get_fill_value") else "")
with xarray.open_dataset("in.nc") as d:
    print([float(d[name].astype("f8").mean()) for name in sys.argv[1:]])
"""
    run(tmp_path, f"import sys; sys.argv[1:] = ['a']\n{look}")
    for granularity in ("object", "chunk"):
        done = quarry("carve", "t", "-o", "small", "--granularity", granularity, cwd=tmp_path)
        assert done.returncode == 0
        done = on_carved(tmp_path, look, "a", "b", "plain", "shade")
        assert done.stdout == natively(tmp_path, look, "a", "b", "plain", "shade"), done.stderr
    before = natively(tmp_path, look, "a")
    shutil.move(tmp_path / "in.nc", tmp_path / "aside.nc")
    assert on_carved(tmp_path, look, "a").stdout == before
    assert "HDF error" in on_carved(tmp_path, look, "b").stderr
