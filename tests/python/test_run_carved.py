"""`quarry run --carved`: programs find carved files where the originals were, and nothing stays behind."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np
from carved_world import World, as_user, truly_carved

from cli import QUARRY, compile_c


def test_an_original_is_covered(world: World) -> None:
    original = world.original()
    world.carve(original)
    before = world.tree()
    assert world.read(original) == "carved"
    assert world.tree() == before
    assert h5py.File(original)["which"][()] == b"original"


def test_whatever_looks_finds_the_file(world: World, tmp_path: Path) -> None:
    source = tmp_path / "size.c"
    source.write_text(
        "#include <stdio.h>\n#include <sys/stat.h>\n"
        "int main(int n, char **w) { struct stat s; (void)n; if (stat(w[1], &s)) return 1;"
        ' printf("%ld\\n", (long)s.st_size); return 0; }'
    )
    static = world.folder / "static"
    compile_c("-static", "-o", static, source)
    original = world.data / "gone/in.h5"
    world.carve(original)
    size = os.path.getsize(world.carved / str(original).lstrip("/"))
    assert world.run(static, original).stdout == f"{size}\n"
    assert world.run("sh", "-c", f"ls {original.parent}").stdout == "in.h5\n"
    assert world.run("sh", "-c", f"cat {original} | wc -c").stdout.strip() == str(size)
    code = """
import glob, os, subprocess, sys
import h5py, netCDF4, xarray
path = sys.argv[1]
print(glob.glob(os.path.dirname(path) + "/*.h5") == [path], os.path.getsize(path))
print(netCDF4.Dataset(path)["values"].shape, xarray.open_dataset(path)["values"].sum().item())
read = "import h5py, sys; print(h5py.File(sys.argv[1])['which'][()])"
print(subprocess.check_output(["sh", "-c", '"$@"', "sh", sys.executable, "-c", read, path]))
"""
    done = world.run(world.python, "-c", code, original)
    assert done.stdout.splitlines() == [f"True {size}", "(10,) 45", repr(b"b'carved'\n")], (
        done.stderr
    )


def test_exit_codes_and_signals_are_the_programs(world: World) -> None:
    world.carve(world.data / "in.h5")
    assert world.run("sh", "-c", "exit 77").returncode == 77
    assert world.run("sh", "-c", "kill -SEGV $$").returncode == -signal.SIGSEGV
    assert world.run("/no/such/program").returncode == 127
    trap = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.1; done"
    with world.started(trap) as (process, _):
        process.terminate()
        assert process.wait(timeout=30) == 9
    assert not (world.data / "in.h5").exists()


def test_true_files_can_be_reached_but_not_stumbled_on(world: World) -> None:
    original = world.original()
    world.carve(original)
    tree = world.carved / "originals/tree"
    assert world.read(f"{tree}{original}") == "original"
    if world.user != 0:
        assert world.run("sh", "-c", f"ls {tree.parent}").returncode != 0


def test_an_original_that_has_changed_is_named(world: World) -> None:
    original = truly_carved(world)
    done = world.run("true")
    assert "have changed" not in done.stderr
    with h5py.File(original, "a") as file:
        file["read"][0] = 42
    done = world.run("true")
    assert done.returncode == 0
    assert f"the program sees them as they were then: {original}." in done.stderr


def test_from_recording_to_running_on_what_was_used(world: World) -> None:
    original = world.data / "deep/in.h5"
    original.parent.mkdir()
    with h5py.File(original, "w") as file:
        file["used"] = np.arange(100_000)
        file["unused"] = np.arange(100_000)
    world.give(world.folder)
    code = "import h5py, sys; print(h5py.File(sys.argv[1])['used'][...].sum())"
    program = [world.python, "-c", code, original]

    def quarry(*words: object) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*as_user(world.user), *map(str, [QUARRY, *words])],
            env=world.environment(),
            cwd=world.folder,
            capture_output=True,
            text=True,
            check=True,
        )

    recorded = quarry("run", "--trace", "t", "--", *program)
    quarry("carve", "t", "-o", world.carved)
    shutil.rmtree(original.parent)
    again = quarry("run", "--trace", "t2", "--carved", world.carved, "--", *program)
    assert again.stdout == recorded.stdout
    assert str(original) in quarry("ls", "t2").stdout
    assert not original.parent.exists()


def test_an_original_that_is_gone_is_said_to_be(world: World) -> None:
    """Also where an empty file that nobody may open holds its place."""
    original = truly_carved(world)
    original.unlink()
    program = "import h5py, sys; h5py.File(sys.argv[1])['unread'][0]"
    done = world.run(world.python, "-c", program, original)
    assert done.returncode == 1
    assert f"from its original, {original}: No such file or directory" in done.stderr


def test_what_cannot_be_served_is_said(world: World) -> None:
    original = world.data / "in.h5"
    world.carve(original)
    original.mkdir()
    done = world.run("true")
    assert done.returncode == 125 and f"{original} is there and is not a file" in done.stderr
    original.rmdir()
    (world.carved / str(original).lstrip("/")).unlink()
    done = world.run("true")
    assert done.returncode == 125 and "Carve again" in done.stderr
    copy = world.carved / str(original).lstrip("/")
    for target in (copy, "/etc/passwd"):
        copy.symlink_to(target)
        done = world.run("true")
        assert done.returncode == 125 and "where copies must be" in done.stderr
        copy.unlink()
    (world.carved / "quarry-carved.json").write_text("{")
    done = world.run("true")
    assert done.returncode == 125 and "is damaged" in done.stderr
    (world.carved / "quarry-carved.json").unlink()
    done = world.run("true")
    assert done.returncode == 125 and "holds no carved files" in done.stderr
