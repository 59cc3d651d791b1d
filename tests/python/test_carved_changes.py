"""Programs that change carved files: what they write stays whole, and never takes what was carved away for theirs."""

import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_runs import natively, on_carved
from carving import run

from cli import quarry

# What a program may want to do with a dataset of which data is missing.
CHANGES = {
    "resize": "f['gzip'].resize((10, 30))",
    "write": "f['contiguous'][0] = 1",
    "write words": "f['words'][3] = 'new'",
    "write in part": "f['partly'][0] = 1",
    "write a chunk": "f['gzip'].id.write_direct_chunk((0, 0), b'x')",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_missing_is_not_written_to(carved: Path, change: str) -> None:
    folder = carved.parent
    program = f"""
import h5py
f = h5py.File("in.h5", "r+")
f.create_dataset("more", data=[1])[...] = 2
try:
    {CHANGES[change]}
except (OSError, RuntimeError, ValueError):
    print(f["used"][0, 0] == f["gzip"][0, 0] - 2, f["more"][0])
"""
    done = on_carved(folder, program, options=("--writes", "copy"))
    assert done.stdout == "True 2\n", done.stderr
    assert "and it cannot be written to or resized" in done.stderr and "--keep" in done.stderr
    # Also of a dataset that is there in part.
    assert f"{carved}: data of /" in done.stderr


def test_what_takes_the_place_of_a_missing_dataset_is_whole(carved: Path) -> None:
    program = """
import h5py, numpy as np
f = h5py.File("in.h5", "r+")
for name in ("gzip", "group/link", "contiguous", "partly"): del f[name]
for i in range(20):
    d = f.create_dataset(f"new {i}", data=np.arange(12_000.).reshape(400, 30), chunks=(50, 6))
    print(np.frombuffer(d.id.read_direct_chunk((50, 6))[1])[:3], d.id.get_storage_size(), d.compression)
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program), done.stderr


def test_what_takes_the_place_of_a_missing_dataset_has_no_old_values(carved: Path) -> None:
    """Also without a fill value, as those have of which data was left out."""
    program = """
import ctypes, h5py, sys
sys.path.insert(0, sys.argv[1])
from carving import library_of_h5py, run
with h5py.File("in.h5", "r+") as f:
    shape = f["contiguous"].shape
    del f["contiguous"]
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((7, 11))
    words = (ctypes.c_int64(one) for one in (creation.id, h5py.h5t.NATIVE_DOUBLE.id))
    library_of_h5py().H5Pset_fill_value(*words, None)
    space = h5py.h5s.create_simple(shape)
    h5py.h5d.create(f.id, b"contiguous", h5py.h5t.NATIVE_DOUBLE, space, creation)
    print(f["contiguous"].chunks)
    try:
        print(f["contiguous"][0, :3])
    except OSError as error:
        print(error)
"""
    folder = str(Path(__file__).parent)
    done = on_carved(carved.parent, program, folder, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program, folder), done.stderr
    assert "no data can be read" in done.stdout


@pytest.fixture
def months(tmp_path: Path) -> Path:
    """Files of one kind, carved: what is missing in each lies at the same place."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / "in.h5", "w") as f:
            f["read"], f["numbers"] = 1, np.full(20_000, len(name) if name == "one" else 7.0)
            f.create_dataset("words", data=[name] * 9000, dtype=h5py.string_dtype())
    shutil.copytree(tmp_path / "two", tmp_path / "aside", copy_function=shutil.copy2)
    program = "import h5py; [h5py.File(f'{name}/in.h5')['read'][()] for name in ('one', 'two')]"
    run(tmp_path, program)
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    return tmp_path


READ_TWO = """
import h5py
for name in ("numbers", "words"):
    try: print(h5py.File("two/in.h5")[name][5])
    except OSError: print("refused")
"""


@pytest.mark.parametrize("way", ("copied", "bytes"))
def test_the_copy_of_another_carved_file_is_told_from_it(months: Path, way: str) -> None:
    ways = {
        "copied": "shutil.copyfile('one/in.h5', 'two/in.h5')",
        "bytes": "open('two/in.h5', 'r+b').write(open('one/in.h5', 'rb').read())",
    }
    program = f"import shutil\n{ways[way]}\n{READ_TWO}"
    done = on_carved(months, program, options=("--writes", "copy"))
    assert done.stdout == "refused\nrefused\n", done.stderr
    assert "/numbers was left out by `quarry carve` of another file" in done.stderr


def test_carved_files_that_change_their_places(months: Path) -> None:
    program = f"import os\nos.rename('two', 'old')\nos.rename('one', 'two')\n{READ_TWO}"
    done = on_carved(months, program, options=("--missing", f"{months}/two={months}/aside"))
    assert done.stdout == "refused\nrefused\n", done.stderr
    assert "of another file" in done.stderr


def test_what_takes_the_place_of_missing_texts_is_never_theirs(carved: Path) -> None:
    """They lie in the heap, and nothing tells them from others; also after the file was closed."""
    program = """
import ctypes, h5py, sys
sys.path.insert(0, sys.argv[1])
from carving import library_of_h5py, run
with h5py.File("in.h5", "r+") as f:
    space = f["words"].id.get_space()
    del f["words"]
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kind = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
    library_of_h5py().H5Pset_fill_value(ctypes.c_int64(creation.id), ctypes.c_int64(kind.id), None)
    h5py.h5d.create(f.id, b"words", kind, space, creation)
try:
    print(h5py.File("in.h5")["words"][3])
except OSError as error:
    print(error)
"""
    folder = str(Path(__file__).parent)
    done = on_carved(carved.parent, program, folder, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program, folder), done.stderr
    assert "word 3" not in done.stdout
