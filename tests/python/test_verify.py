"""`quarry verify` finds whatever is not the same in a carved file, and nothing else."""

import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carving import (
    PROGRAMS,
    FilterClass,
    LinkClass,
    carve,
    copy_of,
    library_of_h5py,
    run,
    verify,
)

from cli import quarry, record


def named(found: dict) -> set[str]:
    return {one["object"] for one in found["differences"]}


CHANGES = {
    "file space strategy": "",
    "page size": "",
    "user block": "",
    "member of a named type": "/named",
    "type is shared": "/of named",
    "which type is shared": "/of named",
    "enum member": "/enum",
    "enum name": "/joined",
    "byte order": "/byte order",
    "sign": "/sign",
    "character set": "/texts",
    "padding": "/padded",
    "padding of any length": "/free texts",
    "character set of any length": "/holds free texts",
    "tag": "/opaque",
    "contiguous": "/contiguous",
    "chunked": "/chunked",
    "compressed": "/compressed",
    "compact": "/compact",
    "filter": "/compressed",
    "largest shape": "/grows",
    "chunk shape": "/chunk shape",
    "shape": "/shape",
    "null space": "/null",
    "fill value": "/fill",
    "fill time": "/fill time",
    "allocation time": "/allocation time",
    "times": "/times",
    "stored chunks": "/sparse",
    "filter mask": "/masked",
    "string": "/strings",
    "list": "/lists",
    "compound": "/mixed",
    "mapping": "/virtual",
    "name in a mapping": "/colon",
    "external file": "/external",
    "order of attributes": "/holder",
    "order of untracked attributes": "/holds untracked",
    "attribute there": "/holder",
    "attribute": "/holder",
    "attribute text": "/holder",
    "attribute shape": "/holder",
    "attribute type": "/holder",
    "character set of a text": "/holder",
    "dense attribute": "/big",
    "reference": "/references",
    "null reference": "/references",
    "region": "/",
    "attribute reference": "/",
    "order of links": "/links",
    "order of untracked links": "/untracked",
    "soft link": "/soft",
    "dangling link there": "/",
    "external link": "/outside",
    "kind of link": "/kind",
    "hard link": "/alias",
    "circle": "/links/circle",
    "comment": "/links/a",
    "tracked order": "/tracked",
}


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory, fixed_clock: dict[str, str]) -> Path:
    """The folder of files that differ in one thing each."""
    folder = tmp_path_factory.mktemp("rich")
    program = [sys.executable, PROGRAMS / "rich_files.py", folder, *CHANGES]
    subprocess.run(program, env=os.environ | fixed_clock, check=True, cwd=folder)
    return folder


def test_the_same_made_twice_is_the_same(rich: Path, tmp_path: Path) -> None:
    shutil.copy(rich / "usual.h5", tmp_path)
    assert verify(rich / "usual.h5", tmp_path / "usual.h5")["equal_bytes"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_found(change: str, rich: Path) -> None:
    found = verify(rich / "usual.h5", rich / f"{change}.h5")
    assert CHANGES[change] in named(found), found["differences"]
    # And little else: the kind of a hard link changes what it leads to, as well.
    assert len(named(found)) <= 3, found["differences"]


def make_netcdf(path: Path) -> Path:
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("time", None)
        d.createDimension("x", 30)
        d.createDimension("only", 3)
        for name, dimensions in (
            ("time", ("time",)),
            ("x", ("x",)),
            ("used", ("time", "x")),
            ("more", ("time", "x", "only")),
        ):
            shape = [{"time": 5, "x": 30, "only": 3}[name] for name in dimensions]
            d.createVariable(name, "f8", dimensions)[:] = np.ones(shape)
    return path


def move_axis(f: h5py.File) -> None:
    entries = f["x"].attrs["REFERENCE_LIST"]
    entries["dimension"][0] = 0
    held = f["x"].attrs.get_id("REFERENCE_LIST")
    held.write(entries, held.get_type())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda f: f["used"].attrs.__delitem__("DIMENSION_LIST"),
            ("/x", "it lists axis 1 of /used, which does not name it"),
        ),
        (move_axis, ("/used", "the dimension scale of its axis 1, /x, does not list it")),
        (
            lambda f: f["x"].attrs.modify("_Netcdf4Dimid", 0),
            ("/x", "its _Netcdf4Dimid is that of another, too"),
        ),
        (
            lambda f: f["only"].attrs.__delitem__("_Netcdf4Dimid"),
            ("/only", "it has no _Netcdf4Dimid, and others have"),
        ),
        (
            lambda f: f["used"].attrs.modify("_Netcdf4Coordinates", np.array([0, 7], "i4")),
            ("/used", "its _Netcdf4Coordinates name the dimension 7, which is not there"),
        ),
    ],
)
def test_scales_and_variables_must_agree(change: Callable, said: tuple, tmp_path: Path) -> None:
    original = make_netcdf(tmp_path / "in.nc")
    shutil.copy(original, tmp_path / "copy.nc")
    with h5py.File(tmp_path / "copy.nc", "r+") as f:
        change(f)
    found = verify(original, tmp_path / "copy.nc")
    assert said in {(one["object"], one["what"]) for one in found["differences"]}, found


def test_carved_files_are_the_same_but_for_data_left_out(rich: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.h5"
    shutil.copy(rich / "usual.h5", file)
    (tmp_path / "one.raw").write_bytes(bytes(9600))
    read = "f['contiguous'][3:5, ::2]; f['lists'][:]; f['external'][0]"
    run(tmp_path, f"import h5py; f = h5py.File('in.h5'); {read}")
    carve(tmp_path, "t", "--keep-below", "1")
    found = verify(file, copy_of(file), "--trace", tmp_path / "t", cwd=tmp_path)
    assert found["differences"] == []
    assert found["hollow"] > 5 and found["bytes_left_out"] > 20_000
    assert found["reads"] == 3 and found["reads_skipped"] == 0
    done = quarry("verify", file, copy_of(file), "--trace", tmp_path / "t", cwd=tmp_path)
    assert done.returncode == 0
    assert f"The same but for the data of {found['hollow']} datasets" in done.stdout
    assert "3 reads were repeated in both." in done.stdout


def test_a_carved_netcdf_file_is_the_same(tmp_path: Path) -> None:
    file = make_netcdf(tmp_path / "in.nc")
    run(tmp_path, "import netCDF4; netCDF4.Dataset('in.nc')['used'][2:4]")
    carve(tmp_path, "t", "--keep-below", "1")
    found = verify(file, copy_of(file), "--trace", tmp_path / "t")
    assert found["differences"] == [] and found["hollow"] == 1 and found["reads"] >= 1


def test_a_read_that_the_copy_refuses_is_found(tmp_path: Path) -> None:
    file = make_netcdf(tmp_path / "in.nc")
    run(tmp_path, "import netCDF4; netCDF4.Dataset('in.nc')['used'][2:4]")
    carve(tmp_path, "t", "--drop", "/used")
    assert verify(file, copy_of(file))["same"]
    found = verify(file, copy_of(file), "--trace", tmp_path / "t")
    (one,) = found["differences"]
    assert one["object"] == "/used" and "a read of [2:4, 0:30] is refused" in one["what"]


def test_a_trace_that_does_not_tell_what_was_read_is_refused(tmp_path: Path) -> None:
    file = make_netcdf(tmp_path / "in.nc")
    program = "import netCDF4; netCDF4.Dataset('in.nc')['used'][2:4]"
    run(tmp_path, program)
    carve(tmp_path, "t")
    coarse = ("--level", "objects")
    record(tmp_path, sys.executable, "-c", program, trace="coarse", options=coarse)
    done = quarry("verify", file, copy_of(file), "--trace", "coarse", cwd=tmp_path)
    assert done.returncode == 125 and "coarse does not tell all that was read" in done.stderr
    for part in (tmp_path / "t").glob("*.qtrace"):
        content = part.read_bytes()
        middle = len(content.rstrip(b"\0")) // 2
        part.write_bytes(content[:middle] + bytes([255]) * 1024 + content[middle + 1024 :])
    done = quarry("verify", file, copy_of(file), "--trace", "t", cwd=tmp_path)
    assert done.returncode == 125 and "t does not tell all that was read" in done.stderr


def test_a_trace_of_other_files_is_refused(tmp_path: Path) -> None:
    file = make_netcdf(tmp_path / "in.nc")
    run(tmp_path, "import netCDF4; netCDF4.Dataset('in.nc')['used'][2:4]")
    carve(tmp_path, "t")
    run(tmp_path, "import h5py; h5py.File('in.nc')", trace="opened")
    both = (copy_of(file), "--trace", "opened")
    assert quarry("verify", file, *both, cwd=tmp_path).returncode == 0
    shutil.copy(file, tmp_path / "moved.nc")
    done = quarry("verify", "moved.nc", *both, "--trace", "t", cwd=tmp_path)
    assert done.returncode == 125
    assert f"moved.nc was not opened in opened and t, but {file}." in done.stderr


def test_selections_of_every_kind_are_repeated(tmp_path: Path) -> None:
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        f["x"] = np.arange(20_000).reshape(200, 100)
    program = """
import h5py, numpy as np
d = h5py.File("in.h5")["x"]
d[...]; d[3:9, ::4]; d[[1, 5, 9], 3:7]; d[np.arange(20000).reshape(200, 100) % 777 == 0]; d[7, 8]
d[7, 8]
"""
    run(tmp_path, program)
    carve(tmp_path, "t")
    found = verify(file, copy_of(file), "--trace", tmp_path / "t")
    assert found["same"] and found["reads"] == 5 and found["reads_skipped"] == 0
    with h5py.File(copy_of(file), "r+") as f:
        f["x"][7, 8] = 0
    found = verify(file, copy_of(file), "--trace", tmp_path / "t")
    said = {one["what"] for one in found["differences"]}
    assert "its data is another at [7, 8]" in said
    assert "a read of [7, 8] gets other values from the copy" in said
    assert len(said) == 4


def both(differences: list[dict]) -> list[dict]:
    assert len(differences) == 2
    return differences


@pytest.mark.parametrize("way", ("relative", "absolute", "above"))
@pytest.mark.parametrize("kind", ("external", "virtual"))
def test_data_in_other_files_is_that_about_the_copy(tmp_path: Path, kind: str, way: str) -> None:
    """HDF5 would find that of the original again, by the same name."""
    folder = tmp_path / "work"
    folder.mkdir()
    other = (tmp_path if way == "above" else folder) / "other"
    name = {"relative": "other", "absolute": str(other), "above": "../other"}[way]
    file, values = folder / "in.h5", np.arange(30_000.0)
    with h5py.File(file, "w") as f:
        if kind == "external":
            values.tofile(other)
            f.create_dataset("x", values.shape, "f8", external=[(name, 0, values.nbytes)])
        else:
            with h5py.File(other, "w") as source:
                source["x"] = values
            layout = h5py.VirtualLayout(values.shape, "f8")
            layout[:] = h5py.VirtualSource(name, "x", values.shape)
            f.create_virtual_dataset("x", layout, fillvalue=-1)
        f["y"] = values
    run(folder, "import h5py; h5py.File('in.h5')['x'][5:8]")
    carve(folder, "t")
    words = (file, copy_of(file), "--trace", folder / "t")
    found = verify(*words, cwd=folder)
    assert found["same"] and found["reads"] == 1 and not found["equal_bytes"], found
    there = copy_of(other, folder)
    if kind == "external":
        damaged = np.fromfile(there)
        damaged[5] = 7
        damaged.tofile(there)
    else:
        with h5py.File(there, "r+") as source:
            source["x"][5] = 7
    # By itself, and when what was read of it is read again.
    for one in both(verify(*words, cwd=folder)["differences"]):
        assert one["object"] == "/x" and "gets other values from the copy" in one["what"]
    there.unlink()
    for one in both(verify(*words, cwd=folder)["differences"]):
        assert one["object"] == "/x"


@pytest.mark.parametrize("name", ("in.h5", "."))
def test_a_virtual_dataset_of_its_own_file_is_read_again(tmp_path: Path, name: str) -> None:
    """The copy is open by then, and HDF5 lets nobody else write to it."""
    file, values = tmp_path / "in.h5", np.arange(30_000.0)
    with h5py.File(file, "w") as f:
        f["x"], f["unread"] = values, values
        layout = h5py.VirtualLayout(values.shape, "f8")
        layout[:] = h5py.VirtualSource(name, "x", values.shape)
        f.create_virtual_dataset("virtual", layout)
    run(tmp_path, "import h5py; h5py.File('in.h5')['virtual'][5:8]")
    carve(tmp_path, "t")
    found = verify(file, copy_of(file), "--trace", tmp_path / "t", cwd=tmp_path)
    assert found["same"] and found["reads"] > 0, found


def test_what_needs_a_filter_that_is_not_there_is_compared_as_stored(tmp_path: Path) -> None:
    nobody_has_it = 499
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((10,))
        properties.set_filter(nobody_has_it, h5py.h5z.FLAG_OPTIONAL, ())
        space = h5py.h5s.create_simple((10,))
        made = h5py.h5d.create(f.id, b"x", h5py.h5t.NATIVE_INT32, space, properties)
        made.write_direct_chunk((0,), b"packed")
        layout = h5py.VirtualLayout((10,), "i4")
        layout[:] = h5py.VirtualSource(".", "x", (10,))
        f.create_virtual_dataset("v", layout)
    shutil.copy(file, tmp_path / "copy.h5")
    assert verify(file, tmp_path / "copy.h5")["same"]


BLOCKS = """
import h5py
f = h5py.File('in.h5')
f['blocks'][1999:2001], f['percent'][5:8]
"""


def test_names_of_sources_with_percent_signs(tmp_path: Path) -> None:
    folder = tmp_path / "100%"
    folder.mkdir()
    file, values = folder / "in.h5", np.arange(2000.0)
    for name in ("s0.h5", "s1.h5", "s%b.h5"):
        with h5py.File(folder / name, "w") as f:
            f["x%"] = values + len(name)
            f["unread"] = values
    with h5py.File(file, "w") as f:
        f["unread"] = np.arange(20_000.0)
        space = h5py.h5s.create_simple((2000,), (h5py.h5s.UNLIMITED,))
        space.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (2000,), (2000,))
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_virtual(space, b"s%b.h5", b"x%%", h5py.h5s.create_simple((2000,)))
        space.select_all()
        h5py.h5d.create(f.id, b"blocks", h5py.h5t.IEEE_F64LE, space, creation)
        layout = h5py.VirtualLayout(values.shape, "f8")
        layout[:] = h5py.VirtualSource("s%%b.h5", "x%%", values.shape)
        f.create_virtual_dataset("percent", layout)
    run(folder, BLOCKS)
    carve(folder, "t", "--keep-below", "0", "--jobs", "1")
    words = (file, copy_of(file), "--trace", folder / "t")
    found = verify(*words, cwd=folder)
    assert found["same"] and found["reads"] >= 2 and not found["equal_bytes"], found
    for name, dataset in (("s1.h5", "/blocks"), ("s%b.h5", "/percent")):
        there = copy_of(folder / name, folder)
        there.rename(tmp_path / "away")
        assert named(verify(*words, cwd=folder)) == {dataset}
        (tmp_path / "away").rename(there)


def test_chunks_that_grow_in_the_second_dimension_are_copied(tmp_path: Path) -> None:
    file = tmp_path / "in.h5"
    with h5py.File(file, "w", libver="latest") as f:
        for name in ("full", "sparse"):
            f.create_dataset(name, (10, 20), "i4", maxshape=(10, None), chunks=(5, 4))
            # What refers to others is not copied by HDF5 itself.
            f[name].attrs.create("to", f["/"].ref, dtype=h5py.ref_dtype)
        f["full"][...] = np.arange(200).reshape(10, 20)
        f["sparse"][5:, 8:12] = 3
    run(tmp_path, "import h5py; f = h5py.File('in.h5'); f['full'][0], f['sparse'][0]")
    (fate,) = carve(tmp_path, "t")["files"]
    assert fate["why_whole"] == ""
    assert verify(file, copy_of(file))["same"]
    with h5py.File(file) as old, h5py.File(copy_of(file)) as new:
        for name in ("full", "sparse"):
            assert (old[name][...] == new[name][...]).all()


def add_link_of_own_kind(file: Path, value: bytes) -> None:
    library = library_of_h5py()
    traverse = ctypes.CFUNCTYPE(ctypes.c_int64)(lambda: -1)
    kind = LinkClass(1, 187, b"ours", (None,) * 6)
    kind.functions[3] = ctypes.cast(traverse, ctypes.c_void_p).value
    assert library.H5Lregister(ctypes.byref(kind)) >= 0
    with h5py.File(file, "r+") as f:
        words = [ctypes.c_int64(f.id.id), b"own", 187, value, ctypes.c_size_t(len(value))]
        default = ctypes.c_int64(0)
        assert library.H5Lcreate_ud(*words, default, default) >= 0
    assert library.H5Lunregister(187) >= 0


def test_links_of_an_unknown_kind_keep_their_value(tmp_path: Path) -> None:
    for name, value in (("in.h5", b"\1somewhere\0else\2"), ("other.h5", b"\1somewhere\0here\2")):
        with h5py.File(tmp_path / name, "w") as f:
            f["x"] = 1
        add_link_of_own_kind(tmp_path / name, value)
    file = tmp_path / "in.h5"
    time.sleep(0.01)
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][()]")
    carve(tmp_path, "t")
    assert verify(file, copy_of(file))["same"]
    assert b"\1somewhere\0else\2" in copy_of(file).read_bytes()
    (one,) = verify(file, tmp_path / "other.h5")["differences"]
    assert one["object"] == "/own" and one["what"] == "the link leads elsewhere"


GUARD = 20818


def make_chunks(path: Path, *, without: list[tuple[int, int]] | None = None) -> Path:
    """Compressed chunks; if there are any to be left out, as carving leaves them out."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((10, 10))
    properties.set_deflate(4)
    if without is not None:
        properties.set_filter(GUARD, h5py.h5z.FLAG_MANDATORY, (1, 2))
    with h5py.File(path, "w") as f:
        space = h5py.h5s.create_simple((30, 30))
        made = h5py.h5d.create(f.id, b"x", h5py.h5t.NATIVE_INT32, space, properties)
        for offset in ((0, 0), (0, 20), (10, 10)):
            packed = zlib.compress(np.full((10, 10), offset[0], "i4").tobytes(), 4)
            if without is None:
                made.write_direct_chunk(offset, packed)
            elif offset in without:
                made.write_direct_chunk(offset, b"-")
            else:
                made.write_direct_chunk(offset, packed, 2)
    return path


def test_another_name_of_a_filter_is_found(tmp_path: Path) -> None:
    library = library_of_h5py()
    for file, name in (("in.h5", b"ours"), ("copy.h5", b"theirs")):
        filter_ = FilterClass(1, 31990, 1, 1, name, (None,) * 3)
        filter_.functions[2] = ctypes.cast(library.H5Zregister, ctypes.c_void_p).value
        assert library.H5Zregister(ctypes.byref(filter_)) >= 0
        with h5py.File(tmp_path / file, "w") as f:
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk((5,))
            properties.set_filter(31990, h5py.h5z.FLAG_OPTIONAL)
            space = h5py.h5s.create_simple((5,))
            h5py.h5d.create(f.id, b"x", h5py.h5t.NATIVE_INT32, space, properties)
        assert library.H5Zunregister(31990) >= 0
    (one,) = verify(tmp_path / "in.h5", tmp_path / "copy.h5")["differences"]
    assert "filters" in one["what"] and "ours" in one["what"] and "theirs" in one["what"]


def test_chunks_may_be_left_out_where_the_guard_is(tmp_path: Path) -> None:
    library = library_of_h5py()
    refuse = ctypes.CFUNCTYPE(ctypes.c_size_t)(lambda: 0)
    guard = FilterClass(1, GUARD, 1, 1, b"guard", (None,) * 3)
    guard.functions[2] = ctypes.cast(refuse, ctypes.c_void_p).value
    assert library.H5Zregister(ctypes.byref(guard)) >= 0
    file = make_chunks(tmp_path / "in.h5")
    carved = make_chunks(tmp_path / "carved.h5", without=[(0, 20)])
    changed = make_chunks(tmp_path / "changed.h5", without=[(0, 20)])
    with h5py.File(changed, "r+") as f:
        f["x"].id.write_direct_chunk((0, 0), zlib.compress(bytes(399) + b"1", 4), 2)
        f["x"].id.write_direct_chunk((20, 20), b"-")
    assert library.H5Zunregister(GUARD) >= 0
    run(tmp_path, "import h5py; d = h5py.File('in.h5')['x']; d[:10, :20], d[15:18, 12]")
    found = verify(file, carved, "--trace", tmp_path / "t")
    assert found["differences"] == [] and found["reads"] == 2
    assert (found["partly"], found["chunks_left_out"], found["hollow"]) == (1, 1, 0)
    done = quarry("verify", file, carved)
    assert "The same but for 1 chunk of 1 dataset that is left out" in done.stdout
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][...]", trace="all")
    found = verify(file, carved, "--trace", tmp_path / "all")
    assert "a read of all is refused by the copy" in found["differences"][0]["what"]
    (one,) = verify(file, changed)["differences"]
    assert one["what"] == "other chunks of it are stored"


def test_a_damaged_copy_is_a_difference(tmp_path: Path) -> None:
    file = make_netcdf(tmp_path / "in.nc")
    (tmp_path / "cut.nc").write_bytes(file.read_bytes()[:3000])
    done = quarry("verify", file, tmp_path / "cut.nc")
    assert done.returncode == 1 and "the file: the bytes differ" in done.stdout
    done = quarry("verify", file, tmp_path / "missing.nc")
    assert done.returncode == 125 and "missing.nc cannot be read" in done.stderr


def test_what_cannot_be_read_in_either_is_not_the_same(tmp_path: Path) -> None:
    for name, value in (("one.h5", 1), ("other.h5", 2)):
        with h5py.File(tmp_path / name, "w", libver="latest") as f:
            f.create_dataset("x", data=np.full(1000, value), track_times=False)
            header = h5py.h5o.get_info(f["x"].id).addr
        damaged = bytearray((tmp_path / name).read_bytes())
        damaged[header + 20] ^= 0xFF
        (tmp_path / name).write_bytes(damaged)
    [one] = verify(tmp_path / "one.h5", tmp_path / "other.h5")["differences"]
    assert (one["object"], one["what"]) == ("/x", "it cannot be read")


@pytest.mark.parametrize("which", range(4))
def test_every_time_of_an_object_is_compared(tmp_path: Path, which: int) -> None:
    """HDF5 itself sets two of the four to the same."""
    file = tmp_path / "in.h5"
    with h5py.File(file, "w", libver="latest") as f:
        f.create_dataset("x", data=np.arange(9), track_times=True)
        start, size = (
            h5py.h5o.get_info(f["x"].id).addr,
            h5py.h5o.get_info(f["x"].id).hdr.space.total,
        )
    content = bytearray(file.read_bytes())
    content[start + 6 + 4 * which] ^= 1
    checked = bytes(content[start : start + size - 4])
    checksum = library_of_h5py().H5_checksum_metadata(checked, ctypes.c_size_t(len(checked)), 0)
    content[start + size - 4 : start + size] = (checksum % 2**32).to_bytes(4, "little")
    (tmp_path / "other.h5").write_bytes(content)
    (one,) = verify(file, tmp_path / "other.h5")["differences"]
    assert one["object"] == "/x" and "time of " in one["what"]


def test_another_size_of_storage_is_found(tmp_path: Path) -> None:
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        f["x"] = f["y"] = np.arange(100)
        storage = f["x"].id.get_offset().to_bytes(8, "little")
    content = file.read_bytes()
    usual, other = (storage + size.to_bytes(8, "little") for size in (800, 808))
    assert content.count(usual) == 1
    (tmp_path / "other.h5").write_bytes(content.replace(usual, other))
    (one,) = verify(file, tmp_path / "other.h5")["differences"]
    assert (one["object"], one["what"]) == ("/x", "its storage has another size")


def test_a_pipe_is_no_copy(tmp_path: Path) -> None:
    file = make_netcdf(tmp_path / "in.nc")
    os.mkfifo(tmp_path / "pipe")
    for both in ((file, tmp_path / "pipe"), (tmp_path / "pipe", file)):
        done = quarry("verify", *both, timeout=20)
        assert done.returncode == 125 and "pipe is no ordinary file" in done.stderr


def test_other_peoples_files_are_verified_when_all_is_kept(
    corpus: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    files = sorted(path for path in corpus.rglob("*.h5") if path.is_file())
    if not request.config.getoption("--slow"):
        seed = random.Random(os.environ["QUARRY_SEED"] + " files to verify").randrange(10**9)
        print("seed", seed)
        files = random.Random(seed).sample(files, 80)
    lines = "".join(f"{path}\n" for path in files)
    record(tmp_path, sys.executable, PROGRAMS / "open_files.py", input=lines)
    words = ["carve", "-o", tmp_path / "small", "--keep", "*", tmp_path / "t", "--json"]
    done = quarry(*words, cwd=tmp_path, timeout=300)
    fates = json.loads(done.stdout)["files"]
    assert len(fates) > len(files) / 2

    def differences(fate: dict) -> list[dict]:
        return verify(fate["original"], tmp_path / "small" / fate["copy"])["differences"]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip([fate["original"] for fate in fates], pool.map(differences, fates)))
    assert {name: some for name, some in found.items() if some} == {}
