"""Tables that are not those of the copies that they lie beside, or that somebody else has made up."""

import shutil
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_runs import natively, on_carved
from carved_tables import Missing
from carving import run

from cli import quarry

TOKEN = 16  # in a dataset's record


def table_of(file: Path) -> Missing:
    return Missing(file.parent / "small/quarry-carved" / file.relative_to("/"))


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    """Carved so that of two pairs of like datasets nothing is there."""
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        f["read"] = 1
        for number in (1, 2):
            f[f"numbers {number}"] = np.full(10_000, number)
            texts = [f"text of {number}"] * 9000
            f.create_dataset(f"texts {number}", data=texts, dtype=h5py.string_dtype())
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    return file


@pytest.mark.parametrize("kind", ("numbers", "texts"))
def test_the_table_of_another_copy_of_the_same_original(twins: Path, kind: str) -> None:
    """In which something else lies at the same place."""
    table = table_of(twins)
    table.swap(f"/{kind} 1", f"/{kind} 2", TOKEN)
    table.swap(f"/{kind} 1", f"/{kind} 2", 40)  # the path
    table.save()
    program = f"import h5py; print(h5py.File('in.h5')['{kind} 1'][5])"
    done = on_carved(twins.parent, program)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert f"{twins}: /{kind} 2 was left out" in done.stderr
    assert "at another time" in done.stderr and "carve that file again" in done.stderr


def test_the_table_of_other_chunks_of_the_same_original(tmp_path: Path) -> None:
    """A chunk that is to be there and is not comes from the original."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        values = np.arange(40_000.0).reshape(4, 10_000)
        f.create_dataset("d", data=values, chunks=(1, 10_000), shuffle=True)
    words = ("--granularity", "chunk", "--keep-below", "0")
    for number, small in enumerate(("small", "other")):
        run(tmp_path, f"import h5py; h5py.File('in.h5')['d'][{number}, :9]", trace=f"t{number}")
        done = quarry("carve", f"t{number}", "-o", small, *words, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
    tables = [tmp_path / small / "quarry-carved" for small in ("other", "small")]
    shutil.copytree(*tables, dirs_exist_ok=True)
    program = """
import h5py, hashlib
d = h5py.File("in.h5")["d"]
for i in range(4):
    mask, data = d.id.read_direct_chunk((i, 0))
    print(mask, hashlib.sha256(data).hexdigest(), d[i, 1])
"""
    assert on_carved(tmp_path, program).stdout == natively(tmp_path, program)
    (tmp_path / "in.h5").unlink()
    stub = "import h5py; print(h5py.File('in.h5')['d'].id.read_direct_chunk((1, 0)))"
    done = on_carved(tmp_path, stub)
    assert (done.returncode, done.stdout) == (1, "") and "was left out" in done.stderr


def test_the_headers_of_the_original_are_listed_again_and_again(twins: Path) -> None:
    table = table_of(twins)
    table.append(64, struct.pack("<2Q", 0, twins.stat().st_size) * 20_000, 20_000)
    table.save()
    done = on_carved(twins.parent, "import h5py; h5py.File('in.h5')['numbers 1'][5]")
    assert done.returncode == 1 and "the table beside its carved copy is damaged" in done.stderr


@pytest.mark.parametrize("kind", ("group", "type"))
def test_what_should_be_a_dataset_of_the_original_is_none(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        f["read"] = 1
        f.create_dataset("texts", data=["text"] * 9000, dtype=h5py.string_dtype())
        f["type"] = np.dtype("f8")
        f.create_group("group")
        place = h5py.h5o.get_info(f[kind].id).addr
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    table = table_of(file)
    table.put(table.records["/texts"] + TOKEN, place)
    table.save()
    done = on_carved(tmp_path, "import h5py; h5py.File('in.h5')['texts'][5]")
    assert done.returncode == 1 and "/texts was left out" in done.stderr


def test_a_table_that_becomes_shorter_while_it_is_used(twins: Path) -> None:
    table = table_of(twins).path
    program = f"""
import h5py, os
f = h5py.File("in.h5")
print(f["numbers 1"][5])
os.truncate("{table}", 0)
print(f["numbers 2"][5], f["numbers 2"].id.get_storage_size())
"""
    done = on_carved(twins.parent, program)
    assert (done.returncode, done.stdout) == (0, "1\n2 80000\n"), done.stderr
