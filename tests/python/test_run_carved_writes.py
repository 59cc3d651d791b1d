"""`quarry run --carved` and programs that write: beside carved files, to them, and to copies of them."""

import shutil
from pathlib import Path

import h5py
import pytest
from carved_world import World, write_file


@pytest.mark.parametrize("name", ["in.h5", "gone/in.h5"])
def test_new_files_beside_are_real_and_stay(world: World, name: str) -> None:
    original = world.data / name
    world.carve(original)
    beside = original.parent / "out.txt"
    assert world.run("sh", "-c", f"echo result > {beside}").returncode == 0
    assert beside.read_text() == "result\n"
    assert not original.exists()


@pytest.mark.parametrize("is_there", [True, False])
def test_writing_to_an_input_is_refused(world: World, is_there: bool) -> None:
    original = world.original() if is_there else world.data / "in.h5"
    world.carve(original)
    before = world.tree()
    done = world.run("sh", "-c", f"echo > {original}")
    assert done.returncode != 0 and "Read-only" in done.stderr
    done = world.run(world.python, "-c", "import h5py, sys; h5py.File(sys.argv[1], 'r+')", original)
    assert done.returncode != 0 and "OSError" in done.stderr
    assert f"quarry: {original} is served from a carved copy" in done.stderr
    assert "`quarry run --writes copy` lets" in done.stderr
    done = world.run(world.python, "-c", "import h5py, sys; h5py.File(sys.argv[1], 'w')", original)
    assert done.returncode != 0 and "Read-only" in done.stderr
    assert f"quarry: {original} is served from a carved copy" in done.stderr
    assert "`quarry run --writes copy` lets" in done.stderr
    # That it is there is no fault of ours.
    done = world.run(world.python, "-c", "import h5py, sys; h5py.File(sys.argv[1], 'x')", original)
    assert done.returncode != 0 and "carved copy" not in done.stderr
    assert world.run("rm", "-f", original).returncode != 0
    assert world.tree() == before


def test_what_was_written_is_kept_also_if_its_time_is_put_back(world: World) -> None:
    original = world.original()
    world.carve(original)
    code = """
import h5py, os, sys
before = os.stat(sys.argv[1])
with h5py.File(sys.argv[1], "r+") as f: f["values"][0] = 7
os.utime(sys.argv[1], ns=(before.st_atime_ns, before.st_mtime_ns))
"""
    done = world.run(world.python, "-c", code, original, options=("--writes", "copy"))
    assert done.returncode == 0 and f"what was written to {original} is in" in done.stderr


def test_a_copy_is_made_anew(world: World) -> None:
    original = world.original()
    world.carve(original)
    code = "import h5py, sys; h5py.File(sys.argv[1], 'w')['new'] = 7"
    done = world.run(world.python, "-c", code, original, options=("--writes", "copy"))
    assert done.returncode == 0 and f"what was written to {original} is in" in done.stderr
    assert "served from a carved copy" not in done.stderr


@pytest.mark.parametrize("name", ["there.h5", "gone.h5"])
def test_writing_to_a_copy(world: World, name: str) -> None:
    write_file(world.data / "there.h5", "original")
    original, other = world.data / name, world.data / "other/other.h5"
    world.carve(original, other)
    before = world.tree()
    code = "import h5py, sys; f = h5py.File(sys.argv[1], 'r+'); f['values'][0] = 7; f.close()\n"
    code += "print(h5py.File(sys.argv[1])['values'][0])"
    done = world.run(world.python, "-c", code, original, options=("--writes", "copy"))
    assert done.stdout == "7\n", done.stderr
    (kept,) = (Path(path) for path in world.tree() if path.endswith(name) and "written" in path)
    assert str(world.folder / kept) in done.stderr and str(original) in done.stderr
    assert h5py.File(world.folder / kept)["values"][0] == 7
    shutil.rmtree(world.folder / kept.parts[0])
    assert world.tree() == before
    assert world.read(original, options=("--writes", "copy")) == "carved"
    assert world.tree() == before


def test_copies_that_a_killed_run_has_left_are_named_once(world: World) -> None:
    world.carve(world.original())
    before = world.tree()
    wait = "echo ready; exec sleep 60"
    with world.started(wait, options=("--writes", "copy")) as (process, _):
        (written,) = world.folder.glob("small.written-*")
        assert str(written) not in world.run("true").stderr
        process.kill()
    done = world.run("true")
    assert done.returncode == 0 and f"it is in {written}; remove that" in done.stderr
    assert world.run("true").stderr == ""
    shutil.rmtree(written)
    assert world.tree() == before
