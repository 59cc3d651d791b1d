"""Properties of what was carved away, and questions about it, are answered as of the original."""

import ctypes
import json
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carved_runs import natively, on_carved
from carving import FilterClass, hdf5, library_of_h5py, run

from cli import quarry

PROPERTIES = """
import ctypes, h5py
lines = open("/proc/self/maps").read().splitlines()
library = ctypes.CDLL(next(p for p in (line.split()[-1] for line in lines) if "h5py" in p and "libhdf5-" in p))
for name, dataset in h5py.File("in.h5").items():
    creation, options, fill = dataset.id.get_create_plist(), ctypes.c_uint(), ctypes.create_string_buffer(8)
    library.H5Pget_chunk_opts(ctypes.c_int64(creation.id), ctypes.byref(options))
    print(name, creation.get_filter(0), options.value, creation.get_chunk(), dataset.fillvalue)
    print(creation.fill_value_defined(), creation.get_fill_time(), creation.get_alloc_time(), dataset.id.get_access_plist().get_chunk_cache())
    same = h5py.File(f"new {name}.h5", "w", driver="core", backing_store=False)
    made = h5py.h5d.create(same.id, b"x", dataset.id.get_type(), dataset.id.get_space(), creation)
    print(made.get_create_plist().get_nfilters(), made.get_create_plist().get_filter(0))
"""


@pytest.mark.parametrize("granularity", ("object", "chunk"))
def test_properties_that_hdf5_does_not_write_down(tmp_path: Path, granularity: str) -> None:
    """Names of filters, also of those that nobody has, and options of chunks."""
    library = library_of_h5py()
    unpacked = ctypes.CFUNCTYPE(
        ctypes.c_size_t, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t
    )(lambda _flags, _count, _values, size: size)
    for number, name in ((31990, b"ours"), (31991, b"our own filter; see http://x")):
        ours = FilterClass(1, number, 1, 1, name, (None,) * 3)
        ours.functions[2] = ctypes.cast(unpacked, ctypes.c_void_p).value
        assert library.H5Zregister(ctypes.byref(ours)) >= 0
    with h5py.File(tmp_path / "in.h5", "w", libver=("v110", "v110")) as f:
        for number, fill in ((31990, None), (31991, 7.5), (h5py.h5z.FILTER_LZF, 3)):
            for options in (0, 2):
                properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                properties.set_chunk((300,))
                properties.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (7, 8, 9))
                if fill is not None:
                    properties.set_fill_value(np.array(fill))
                hdf5("H5Pset_chunk_opts", properties.id, options)
                space = h5py.h5s.create_simple((40_000,))
                made = (f.id, f"{number} {options}".encode(), h5py.h5t.NATIVE_DOUBLE, space)
                h5py.Dataset(h5py.h5d.create(*made, properties))[...] = np.arange(40_000.0)
    for number in (31990, 31991):
        assert library.H5Zunregister(number) >= 0
    run(tmp_path, f"import h5py; f = h5py.File('in.h5'); f['{h5py.h5z.FILTER_LZF} 0'][0]")
    done = quarry("carve", "t", "-o", "small", "--granularity", granularity, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        json.loads((tmp_path / "small/quarry-carved.json").read_text())["files"][0]["why_whole"]
        == ""
    )
    looked = natively(tmp_path, PROPERTIES)
    assert "our own filter; see http://x" in looked and "'ours'" in looked.replace('b"', "'")
    done = on_carved(tmp_path, PROPERTIES)
    assert done.stdout == looked, done.stderr


def test_fill_values_of_variable_length(tmp_path: Path) -> None:
    """A list of properties holds only where such a value was in memory."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("x", 20_000)
        f.createVariable("read", "f8", ("x",))[:] = 1
        words = f.createVariable("words", str, ("x",))
        words[0], words[19_999] = "first", "last"
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = np.arange(20_000)
        words = f.create_dataset("words", (20_000,), h5py.string_dtype(), fillvalue="none")
        words[:10_000] = "word"
    run(tmp_path, "import h5py; [h5py.File(f'in.{kind}')['read'][0] for kind in ('nc', 'h5')]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py, netCDF4
words = netCDF4.Dataset("in.nc")["words"]
print(words[0], words[-1], words[5])
words = h5py.File("in.h5")["words"]
print(words.fillvalue, words[0], words[-1])
"""
    done = on_carved(tmp_path, program)
    assert (done.returncode, done.stdout) == (0, natively(tmp_path, program)), done.stderr


def test_shapes_of_virtual_datasets_by_view(tmp_path: Path) -> None:
    """One without a limit has several, of which one was carved."""
    for number, length in enumerate((5, 3)):
        with h5py.File(tmp_path / f"source{number}.h5", "w") as f:
            f.create_dataset("d", data=np.arange(length), maxshape=(None,))
    endless = (h5py.h5s.UNLIMITED,)
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        space = h5py.h5s.create_simple((5, 2), (endless[0], 2))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        for number in range(2):
            space.select_hyperslab((0, number), (1, 1), (1, 1), (endless[0], 1))
            source = h5py.h5s.create_simple((0,), endless)
            source.select_hyperslab((0,), (1,), (1,), endless)
            properties.set_virtual(space, f"source{number}.h5".encode(), b"d", source)
        h5py.h5d.create(f.id, b"virtual", h5py.h5t.NATIVE_INT64, space, properties)
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    usual = "import h5py; print(h5py.File('in.h5')['virtual'].shape)"
    assert on_carved(tmp_path, usual).stdout == natively(tmp_path, usual) == "(5, 2)\n"
    least = """
import h5py
access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
access.set_virtual_view(h5py.h5d.VDS_FIRST_MISSING)
print(h5py.h5d.open(h5py.File("in.h5").id, b"virtual", access).shape)
"""
    assert natively(tmp_path, least) == "(3, 2)\n"
    done = on_carved(tmp_path, least)
    assert done.returncode == 1 and done.stdout == ""
    assert "/virtual" in done.stderr and "view" in done.stderr and "--keep" in done.stderr


def test_lists_of_properties_are_equal_to_those_made_of_them(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        f.create_dataset("chunked", data=np.arange(20_000), chunks=(5000,))
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
old = h5py.File("in.h5")["chunked"].id
with h5py.File("out.h5", "w") as f:
    made = h5py.h5d.create(f.id, b"x", old.get_type(), old.get_space(), old.get_create_plist())
    print(made.get_create_plist().equal(old.get_create_plist()))
"""
    assert on_carved(tmp_path, program).stdout == natively(tmp_path, program) == "True\n"


def test_questions_about_chunks_that_were_not_written(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        f.create_dataset("some", (100_000,), "f4", chunks=(10_000,))[:30_000] = 1
        f.create_dataset("none", (100_000,), "f4", chunks=(10_000,))
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    words = ("carve", "t", "-o", "small", "--keep-below", "0")
    assert quarry(*words, cwd=tmp_path).returncode == 0
    program = """
import ctypes, h5py, sys
sys.path.insert(0, sys.argv[1])
from carving import library_of_h5py
hdf5 = library_of_h5py()
for name in ("some", "none"):
    d = h5py.File("in.h5")[name].id
    print(d.get_space_status(), d.get_num_chunks())
    for at in (0, 15_000, 29_999, 30_000, 100_000):
        words = (ctypes.c_int64(d.id), ctypes.byref(ctypes.c_uint64(at)))
        size, mask = ctypes.c_uint64(7), ctypes.c_uint(7)
        answer = hdf5.H5Dget_chunk_storage_size(*words, ctypes.byref(size))
        print(at, answer, size.value)
        answer = hdf5.H5Dget_chunk_info_by_coord(*words, ctypes.byref(mask), None, ctypes.byref(size))
        print(at, answer, size.value, mask.value)
"""
    folder = str(Path(__file__).parent)
    assert on_carved(tmp_path, program, folder).stdout == natively(tmp_path, program, folder)


def test_datasets_of_many_chunks_are_opened_often(tmp_path: Path) -> None:
    """What is known of each chunk is not looked at for that."""
    with h5py.File(tmp_path / "in.h5", "w", libver="latest") as f:
        f["plain"] = np.arange(1000.0)
        f.create_dataset("chunks", data=np.arange(2e6), chunks=(20,))
    read = "import h5py; f = h5py.File('in.h5'); f['plain'][:]; f['chunks'][:1000]"
    run(tmp_path, read)
    words = ("--granularity", "chunk", "--no-verify")
    assert quarry("carve", "t", "-o", "small", *words, cwd=tmp_path).returncode == 0
    program = """
import h5py, time
f = h5py.File("in.h5")
def took(name):
    begin = time.process_time()
    for i in range(100): f[name][i]
    return time.process_time() - begin
print(min(took("chunks") for _ in range(3)) < 10 * min(took("plain") for _ in range(3)))
"""
    assert on_carved(tmp_path, program).stdout == "True\n"


def test_chunks_of_a_dataset_that_is_opened_again_and_again(tmp_path: Path) -> None:
    """They are listed once: for each opening that would be a megabyte and, together, seconds."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        for number in range(10):
            f.create_dataset(f"few {number}", data=np.arange(9) + number, chunks=(3,))
        f.create_dataset("many", data=np.arange(4000), chunks=(1,))
    run(tmp_path, "import h5py; h5py.File('in.h5')['many'][0]")
    words = ("--granularity", "chunk", "--keep-below", "0")
    assert quarry("carve", "t", "-o", "small", *words, cwd=tmp_path).returncode == 0
    program = """
import h5py
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4
f = h5py.File("in.h5")
print([(f[f"few {i % 10}"].id.read_direct_chunk((i % 9 // 3 * 3,))) for i in range(40)])
print(f["many"].id.read_direct_chunk((7,)), f["many"].id.get_chunk_info(7).size)
before = resident()
kept = [f["many"] for _ in range(100)]
print([d.id.read_direct_chunk((i,)) for i, d in enumerate(kept)])
print(resident() - before < 20_000)
"""
    done = on_carved(tmp_path, program)
    assert done.stdout == natively(tmp_path, program), done.stderr
