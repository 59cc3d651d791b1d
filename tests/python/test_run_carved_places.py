"""`quarry run --carved` where originals, directories or links are missing, closed, or lead elsewhere."""

import os
import shutil
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_world import READ, World, write_file, write_manifest

from cli import quarry, record


@pytest.mark.parametrize("name", ["in.h5", "gone/in.h5", "gone/and/deep/in.h5"])
def test_a_missing_original_is_there(world: World, name: str) -> None:
    original = world.data / name
    world.carve(original)
    before = world.tree()
    assert world.read(original) == "carved"
    assert world.tree() == before


def test_a_missing_directory_in_one_that_is_not_writable(world: World) -> None:
    locked = world.folder / "locked"
    (locked / "inner").mkdir(parents=True)
    (locked / "inner/file").write_text("inside")
    (locked / "file").write_text("beside")
    (locked / "link").symlink_to("inner/file")
    (locked / "own").mkdir()
    if world.user != os.geteuid():
        world.give(locked / "own")
    else:
        locked.chmod(0o555)
    original = locked / "gone/deep/in.h5"
    world.carve(original)
    before = world.tree()
    assert world.read(original) == "carved"
    look = f"cd {locked} && cat file inner/file link && echo && ls && echo new > own/new && mkdir other"
    done = world.run("sh", "-c", look)
    assert "besideinsideinside" in done.stdout
    assert done.stdout.split()[1:] == ["file", "gone", "inner", "link", "own"]
    assert (locked / "own/new").read_text() == "new\n"
    (locked / "own/new").unlink()
    if world.user != 0:
        assert "ermission denied" in done.stderr and done.returncode != 0
    else:
        (locked / "other").rmdir()
    assert world.tree() == before
    locked.chmod(0o755)


@pytest.mark.parametrize("name", ["in.h5", "deep/er/in.h5"])
def test_a_missing_directory_in_the_root(world: World, name: str) -> None:
    original = world.top / name
    world.carve(original)
    assert world.read(original) == "carved"
    folder = original.parent
    look = f"cd {folder} && stat -c %n in.h5 && ls /proc/self/fd /sys >&2 && echo > /dev/null"
    done = world.run("sh", "-c", look + " && pwd && id -u", cwd=world.data)
    assert done.stdout.splitlines() == ["in.h5", str(folder), str(world.user)], done.stderr


def test_a_directory_that_nobody_may_enter_can_be_covered(world: World) -> None:
    closed = world.folder / "closed"
    closed.mkdir(mode=0o700)
    if world.user not in (0, os.geteuid()):
        world.carve(closed / "sub/in.h5")
        assert world.read(closed / "sub/in.h5") == "carved"


def test_a_missing_directory_beside_carved_files_that_cannot_be_written_to(world: World) -> None:
    state = world.folder / "state/quarry"
    state.mkdir(parents=True)
    world.give(state.parent)
    world.variables["TMPDIR"] = str(state)
    world.carve(world.folder / "gone/in.h5")
    (world.carved / "originals").rmdir()
    before = world.tree()
    for path in (world.folder, world.carved):
        path.chmod(0o555)
        if world.user != os.geteuid():
            os.chown(path, 0, 0)
    assert world.read(world.folder / "gone/in.h5") == "carved"
    world.folder.chmod(0o755)
    if world.user == 0:
        (world.carved / "originals").rmdir()
    assert world.tree() == before


CHANGED_ROOT = """
mount -t tmpfs none /mnt && mount --make-shared /mnt && mkdir /mnt/root
for path in /*; do
    there=/mnt/root$path
    if [ -L $path ]; then cp -P $path $there
    elif [ -d $path ] && [ $path != /mnt ]; then mkdir $there && mount --rbind $path $there
    fi
done
echo $(wc -l </proc/$$/mountinfo) mounts
OUTSIDE=$$ chroot /mnt/root "$@"
"""


def test_a_changed_root_that_is_no_mount(world: World, own_mounts: tuple[str, ...]) -> None:
    """Where the kernel will not make mounts private, they must not be seen outside."""
    if world.user != 0:
        pytest.skip("users may not change mounts in a changed root")
    original = world.original()
    world.carve(original)
    look = f'{world.python} -c "{READ}" {original}; echo $(wc -l </proc/$OUTSIDE/mountinfo) mounts'
    outside = (*own_mounts, "sh", "-ec", CHANGED_ROOT, "sh")
    done = world.run("sh", "-c", look, before=outside)
    assert done.returncode == 0, done.stderr
    before, which, inside = done.stdout.splitlines()
    assert which == "carved" and inside == before and done.stderr == ""
    assert h5py.File(original)["which"][()] == b"original"


def test_a_read_only_file_system(world: World, own_mounts: tuple[str, ...]) -> None:
    world.original("there.h5")
    world.carve(world.data / "there.h5", world.data / "gone/in.h5")
    before = world.tree()
    mount = f"mount --bind {world.data} {world.data} && mount -o remount,bind,ro {world.data}"
    read_only = (*own_mounts, "sh", "-c", mount + ' && exec "$@"', "sh")
    for name in ("there.h5", "gone/in.h5"):
        assert world.read(world.data / name, before=read_only) == "carved"
    done = world.run("mkdir", world.data / "new", world.data / "gone/new", before=read_only)
    assert done.stderr.count("Read-only file system") == 2
    assert world.tree() == before


def test_an_empty_directory_of_the_user_stays(world: World) -> None:
    (world.data / "own").mkdir()
    world.give(world.data)
    world.carve(world.data / "own/in.h5")
    before = world.tree()
    world.read(world.data / "own/in.h5")
    assert world.tree() == before


@pytest.mark.parametrize("known", [True, False])
def test_links_that_lead_to_another_file_by_now(tmp_path: Path, known: bool) -> None:
    """A copy would be shown in the place of what it is no copy of."""
    for name, value in (("one.h5", 1), ("two.h5", 2)):
        with h5py.File(tmp_path / name, "w") as f:
            f["x"] = np.full(20000, value)
    link = tmp_path / "link.h5"
    link.symlink_to("one.h5")
    code = "import h5py, sys; print(*(h5py.File(n)['x'][0] for n in sys.argv[1:]))"
    program = (sys.executable, "-c", code, "link.h5", *(["two.h5"] if known else []))
    record(tmp_path, *program)
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    link.unlink()
    link.symlink_to("two.h5")
    for read in ("one.h5", "two.h5", "link.h5"):
        command = ("--", sys.executable, "-c", code, read)
        done = quarry("run", "--no-trace", "--carved", "small", *command, cwd=tmp_path)
        assert done.returncode == 125 and f"{link} leads to" in done.stderr
    link.unlink()
    done = quarry("run", "--no-trace", "--carved", "small", *command, cwd=tmp_path)
    assert done.stdout == "1\n", done.stderr


def test_symbolic_links_on_the_way(world: World) -> None:
    real = world.folder / "real"
    real.mkdir()
    world.give(real)
    (world.data / "way").symlink_to(real)
    (world.data / "file.h5").symlink_to("way/target.h5")
    (world.data / "dangling.h5").symlink_to(real / "deep/none.h5")
    write_file(real / "target.h5", "original")
    names = ["way/there.h5", "file.h5", "dangling.h5"]
    world.carve(*(world.data / name for name in names))
    before = world.tree()
    for name in names:
        assert world.read(world.data / name) == "carved"
    assert world.read(real / "target.h5") == "carved"
    assert world.read(real / "deep/none.h5") == "carved"
    assert world.tree() == before


def test_the_working_directory_stays_and_sees_the_files(world: World) -> None:
    world.carve(world.data / "in.h5", world.top / "in.h5")
    assert world.read("in.h5", cwd=world.data) == "carved"
    assert world.run("pwd", cwd=world.data).stdout == f"{world.data}\n"
    covered = world.folder / "covered"
    covered.mkdir(mode=0o755)
    world.carve(covered / "gone/in.h5")
    assert world.read("gone/in.h5", cwd=covered) == "carved"


def test_a_thousand_files_take_no_time(world: World) -> None:
    there = [world.original()] + [world.data / f"there/{i}.h5" for i in range(499)]
    (world.data / "there").mkdir()
    for path in there[1:]:
        shutil.copy(there[0], path)
    world.carve(there[0])
    missing = [world.data / f"gone/{i}.h5" for i in range(500)]
    small = world.carved / str(there[0]).lstrip("/")
    for path in [*there[1:], *missing]:
        copy = world.carved / str(path).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(small, copy)
    write_manifest(world.carved, [str(path) for path in [*there, *missing]])
    world.give(world.folder)
    begin = time.monotonic()
    done = world.run("sh", "-c", f"ls {world.data}/gone | wc -l")
    assert done.stdout.strip() == "500", done.stderr
    assert time.monotonic() - begin < 5
    assert not (world.data / "gone").exists()
