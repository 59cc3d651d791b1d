"""What a dataset is like is in the trace, however little of it a program uses."""

import json
import sqlite3
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from cli import quarry

CHUNKED = {
    "type": "float64le",
    "size": 8,
    "shape": [100],
    "max": [None],
    "layout": "chunked",
    "chunks": [10],
}
CONTIGUOUS = {"type": "int32be", "size": 4, "shape": [3, 4], "max": [3, 4], "layout": "contiguous"}
NOT_ALLOCATED = {"type": "int32be", "size": 4, "shape": [5], "max": [5], "layout": "contiguous"}

USES = {
    "only opened": "h5py.h5d.open(f.id, name)",
    "left open": "h5py.h5i.inc_ref(h5py.h5d.open(f.id, name))",
    "asked for its type": "h5py.h5d.open(f.id, name).get_type()",
    "asked for its shape": "h5py.h5d.open(f.id, name).get_space()",
    "asked for its layout": "h5py.h5d.open(f.id, name).get_create_plist()",
    "asked for everything, twice": "[f[name].dtype, f[name].shape, f[name].chunks, f[name].dtype]",
    "read": "f[name][...]",
    "read after a refresh": "d = f[name]; d.shape; d.refresh(); d[...]",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("chunked", data=np.arange(100.0), chunks=(10,), maxshape=(None,))
        f["contiguous"] = np.zeros((3, 4), ">i4")
        f.create_dataset("not allocated", (5,), ">i4")
    return path


def descriptions(program: str, tmp_path: Path) -> dict[str, dict]:
    trace, database = tmp_path / "t", tmp_path / "t.db"
    done = quarry("run", "--trace", trace, "--", sys.executable, "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    quarry("export", trace, "--format", "sqlite", "-o", database)
    rows = sqlite3.connect(database).execute("select path, description from object")
    return {path: json.loads(text) for path, text in rows if text}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_is_the_same_whatever_is_done(file: Path, tmp_path: Path, use: str) -> None:
    program = f"""
import h5py
f = h5py.File({str(file)!r})
for name in (b"chunked", b"contiguous", b"not allocated"):
    {use}
"""
    assert descriptions(program, tmp_path) == {
        "/chunked": CHUNKED,
        "/contiguous": CONTIGUOUS,
        "/not allocated": NOT_ALLOCATED,
    }


def test_is_that_of_the_shape_it_got(file: Path, tmp_path: Path) -> None:
    program = f"""
import h5py
with h5py.File({str(file)!r}, "a") as f:
    d = f["chunked"]
    d.shape
    d.resize((40,))
"""
    assert descriptions(program, tmp_path)["/chunked"] == {**CHUNKED, "shape": [40]}


def test_is_its_own_among_datasets_that_are_nearly_alike(tmp_path: Path) -> None:
    # Shapes of which some are taken for each other by whoever looks at parts of them only.
    shapes = [(), (1,), (3,), (64,), (3, 1), (1, 3), (1, 1, 1, 3), (1, 1, 1, 1, 3), (1, 1, 1, 3, 1)]
    types = {
        "<i4": "int32le",
        "<u4": "uint32le",
        ">i4": "int32be",
        "<f4": "float32le",
        "<i8": "int64le",
        "<f8": "float64le",
        "S4": "string[4]",
    }
    names = [
        f"{t} {s} {i}" for i in range(2) for t in range(len(types)) for s in range(len(shapes))
    ]
    expected = {}
    with h5py.File(tmp_path / "x.h5", "w") as f:
        for name in names:
            kind, shape, _ = (int(word) for word in name.split())
            dtype, text = list(types.items())[kind]
            f[name] = np.zeros(shapes[shape], dtype)
            expected[f"/{name}"] = {
                "type": text,
                "size": np.dtype(dtype).itemsize,
                "shape": list(shapes[shape]),
                "max": list(shapes[shape]),
                "layout": "contiguous",
            }
    program = f"""
import h5py
with h5py.File({str(tmp_path / "x.h5")!r}) as f:
    for name in {names!r}: f[name][()]
"""
    assert descriptions(program, tmp_path) == expected


def test_of_a_new_dataset_is_there_before_it_is_used(file: Path, tmp_path: Path) -> None:
    program = f"""
import h5py, os
f = h5py.File({str(file)!r}, "a")
f.create_dataset("new", (7,), "i2")
os._exit(0)
"""
    assert descriptions(program, tmp_path)["/new"]["shape"] == [7]


def test_of_a_virtual_dataset_needs_no_sources_unless_it_is_used(tmp_path: Path) -> None:
    """Whose shape depends on them, and HDF5 would open their files to tell it."""
    with h5py.File(tmp_path / "source.h5", "w") as f:
        f.create_dataset("s", data=np.arange(10), maxshape=(None,), chunks=(5,))
        layout = h5py.VirtualLayout((10,), "i8", maxshape=(None,))
        layout[: h5py.h5s.UNLIMITED] = h5py.VirtualSource(f["s"])[: h5py.h5s.UNLIMITED]
    with h5py.File(tmp_path / "virtual.h5", "w") as f:
        f.create_virtual_dataset("v", layout)
    open_it = f"import h5py; f = h5py.File({str(tmp_path / 'virtual.h5')!r})\n"
    opened = descriptions(open_it + "h5py.h5d.open(f.id, b'v')", tmp_path)
    assert opened["/v"]["layout"] == "virtual"
    assert "shape" not in opened["/v"]
    events = [json.loads(line) for line in quarry("export", tmp_path / "t").stdout.splitlines()]
    assert not any(e["event"] == "io" and e["file"].endswith("source.h5") for e in events)
    again = tmp_path / "again"
    again.mkdir()
    used = descriptions(open_it + "h5py.h5d.open(f.id, b'v'); f['v'][...]", again)
    assert used["/v"]["shape"] == [10]


@pytest.mark.parametrize("layout", ("contiguous", "chunked"))
def test_is_not_that_of_what_was_deleted_in_its_place(tmp_path: Path, layout: str) -> None:
    """HDF5 puts the new header where the old one was."""
    chunks = {"chunks": (5,)} if layout == "chunked" else {}
    program = f"""
import h5py
with h5py.File({str(tmp_path / "x.h5")!r}, "w") as f:
    a = f.create_dataset("a", (10,), "i4", **{chunks})
    a[...] = 1
    place = h5py.h5o.get_info(a.id).addr
    del a, f["a"]
    b = f.create_dataset("b", (20,), "f8", **{chunks})
    b[...] = 1
    print(h5py.h5o.get_info(b.id).addr == place)
"""
    trace = tmp_path / "t"
    done = quarry("run", "--trace", trace, "--", sys.executable, "-c", program)
    assert done.stdout == "True\n"
    events = [json.loads(line) for line in quarry("export", trace).stdout.splitlines()]
    writes = [(e["elements"], e["bytes"]) for e in events if e["event"] == "write"]
    assert writes == [(10, 40), (20, 160)]
    names = [e["object"] for e in events if e["event"] == "write"]
    assert names[-1] == "/b"


@pytest.mark.parametrize("moment", ("while it is open", "between two openings"))
def test_is_not_what_was_there_before_somebody_else_wrote(tmp_path: Path, moment: str) -> None:
    """The file keeps its inode, and the new dataset lies where the old one lay."""
    path, other = tmp_path / "x.h5", tmp_path / "other.h5"
    with h5py.File(path, "w") as f:
        f["d"] = np.zeros(10, "i4")
    with h5py.File(other, "w") as f:
        f["d"] = np.zeros(20, "f8")
    write = f"open({str(path)!r}, 'r+b').write(open({str(other)!r}, 'rb').read())"
    program = f"""
import h5py
f = h5py.File({str(path)!r}, locking=False)
f["d"][0]
{write if moment == "while it is open" else ""}
f.close()
{write if moment == "between two openings" else ""}
with h5py.File({str(path)!r}) as f: f["d"][...]
"""
    trace = tmp_path / "t"
    done = quarry("run", "--trace", trace, "--", sys.executable, "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    events = [json.loads(line) for line in quarry("export", trace).stdout.splitlines()]
    reads = [(e["elements"], e["bytes"]) for e in events if e["event"] == "read"]
    assert reads == [(1, 4), (20, 160)]
