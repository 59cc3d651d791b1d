"""`quarry run --carved --in-place`, where nothing can be mounted."""

import os
import shutil
from pathlib import Path

import h5py
import pytest
from carved_world import World, truly_carved, write_file

from cli import compile_c

SUPPORT = Path(__file__).parent.parent / "support"


@pytest.fixture(scope="session")
def no_unshare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("seccomp") / "no_unshare"
    compile_c("-o", program, SUPPORT / "no_unshare.c")
    return program


def test_without_namespaces_it_says_so_before_the_program_starts(
    world: World, no_unshare: Path
) -> None:
    world.carve(world.data / "gone/in.h5")
    before = world.tree()
    done = world.run("sh", "-c", "echo started", before=(no_unshare,))
    assert done.returncode == 125 and done.stdout == ""
    assert "not permitted" in done.stderr and "--in-place" in done.stderr
    assert world.tree() == before


def test_in_place(world: World, no_unshare: Path) -> None:
    original = world.data / "gone/in.h5"
    world.carve(original)
    before = world.tree()
    in_place = {"options": ("--in-place",), "before": (no_unshare,)}
    assert world.read(original, **in_place) == "carved"
    assert world.tree() == before
    world.run("touch", original, **in_place)
    assert world.tree() == before
    done = world.run("sh", "-c", f"echo more >> {original}", **in_place)
    if world.user == 0:
        assert f"what was written to {original} stays there" in done.stderr
        shutil.rmtree(original.parent)
    else:
        assert done.returncode != 0
    assert world.tree() == before
    code = "import h5py, sys; h5py.File(sys.argv[1], 'r+')"
    done = world.run(world.python, "-c", code, original, **in_place)
    assert done.returncode != 0 and "without --in-place, lets the program" in done.stderr
    assert world.tree() == before


def test_in_place_puts_nothing_over_an_original_but_hdf5_reads_its_copy(world: World) -> None:
    original = truly_carved(world)
    before = world.tree()
    program = """
import h5py, sys
f = h5py.File(sys.argv[1])
print(f["read"][3], f.filename)
try:
    f["unread"][0]
except OSError:
    h5py.File(sys.argv[1], "r+")
"""
    options = ("--in-place", "--missing", "error")
    done = world.run(world.python, "-c", program, original, options=options)
    assert (done.returncode, done.stdout) == (1, f"3 {original}\n"), done.stderr
    assert f"only HDF5 is given carved files instead: {original}" in done.stderr
    assert "not written to" in done.stderr
    assert world.tree() == before


def test_in_place_a_missing_original_is_said_to_be_missing(world: World) -> None:
    """What is there is only its carved copy."""
    original = truly_carved(world)
    original.unlink()
    program = "import h5py, sys; h5py.File(sys.argv[1])['unread'][0]"
    done = world.run(world.python, "-c", program, original, options=("--in-place",))
    assert done.returncode == 1
    assert f"from its original, {original}: No such file or directory" in done.stderr


def test_in_place_what_is_put_where_a_killed_run_left_its_copy_stays(world: World) -> None:
    original = world.data / "in.h5"
    write_file(original, "carved")
    kept = original.read_bytes()
    world.carve(original)
    copy = world.carved / str(original).lstrip("/")
    original.unlink()
    with world.started("echo ready; exec sleep 60", options=("--in-place",)) as (process, _):
        process.kill()
    assert original.stat().st_size == copy.stat().st_size
    restored = world.data / "restored.h5"
    restored.write_bytes(kept)
    times = (copy.stat().st_atime_ns, copy.stat().st_mtime_ns)
    os.truncate(restored, copy.stat().st_size)
    os.utime(restored, ns=times)
    restored.replace(original)
    world.run("true", options=("--in-place",))
    assert original.exists()


def test_in_place_a_file_that_has_changed_is_named(world: World) -> None:
    original = truly_carved(world)
    with h5py.File(original, "a") as file:
        file["read"][0] = 42
    done = world.run("true", options=("--in-place",))
    assert done.returncode == 125 and f"{original} is not the file" in done.stderr


@pytest.mark.parametrize("is_there", [True, False])
def test_in_place_a_file_that_the_program_makes_anew_is_its_own(
    world: World, is_there: bool
) -> None:
    original = truly_carved(world)
    if not is_there:
        original.unlink()
    program = """
import h5py, os, sys
os.remove(sys.argv[1])
with h5py.File(sys.argv[1], "w") as f: f["read"] = [42]
print(h5py.File(sys.argv[1])["read"][0])
"""
    done = world.run(world.python, "-c", program, original, options=("--in-place",))
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr


MADE = {
    "h5py.File(sys.argv[1], 'w')": "without --in-place, lets the program",
    "netCDF4.Dataset(sys.argv[1], 'w')": "without --in-place, lets the program",
    "h5py.File(sys.argv[1], 'x')": "File exists",
}


@pytest.mark.parametrize("code", MADE)
@pytest.mark.parametrize("is_whole", [False, True])
def test_in_place_no_program_empties_an_original(world: World, code: str, is_whole: bool) -> None:
    original = truly_carved(world, *(("--keep", "/") if is_whole else ()))
    before = world.tree()
    program = f"import h5py, netCDF4, sys; {code}"
    done = world.run(world.python, "-c", program, original, options=("--in-place",))
    assert done.returncode == 1 and MADE[code] in done.stderr, done.stderr
    assert world.tree() == before


def test_in_place_a_program_may_put_a_file_where_it_has_moved_an_original(world: World) -> None:
    original = truly_carved(world)
    program = """
import h5py, os, sys
os.rename(sys.argv[1], sys.argv[1] + ".old")
for way in ("w", "r+", "w"):
    with h5py.File(sys.argv[1], way) as f: f[way] = [42]
"""
    done = world.run(world.python, "-c", program, original, options=("--in-place",))
    assert (done.returncode, done.stderr.count("not written to")) == (0, 0), done.stderr
    with h5py.File(original) as file:
        assert list(file) == ["w"]
