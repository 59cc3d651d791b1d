"""`quarry run --carved`: programs find carved files where the originals were, and nothing stays behind."""

import functools
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
import pytest
from running import clean_environment

from cli import QUARRY, compile_c, quarry

SUPPORT = Path(__file__).parent.parent / "support"
NOBODY = 65534
READ = "import h5py, sys; print(h5py.File(sys.argv[1])['which'][()].decode())"


def as_user(user: int) -> list[str]:
    if user == os.geteuid():
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


@functools.cache
def python_of(user: int) -> tuple[str, dict[str, str]]:
    """A Python with h5py that this user may start: ours may lie in somebody's home directory."""
    packages = {"PYTHONPATH": str(Path(h5py.__file__).parents[1])}
    for python, variables in ((sys.executable, {}), ("/usr/bin/python3", packages)):
        command = ["env", python, "-c", "import h5py, netCDF4, xarray"]
        tried = subprocess.run(
            [*as_user(user), "sh", "-c", '"$@"', "sh", *command],
            env=clean_environment() | variables,
            capture_output=True,
            check=False,
        )
        if tried.returncode == 0:
            return python, variables
    pytest.skip(f"user {user} has no Python with h5py")


def write_file(path: Path, which: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file["which"] = which
        file["values"] = np.arange(10)


def write_manifest(directory: Path, originals: list[str]) -> None:
    """As `quarry carve` leaves it, of files that were copied whole."""
    known = {"size": 0, "modified": 0, "checksum": "0", "why_whole": "of tests"}
    known |= {"also": [], "tasks": [], "raw": False}
    files = []
    for original in originals:
        copy = os.path.normpath(original).lstrip("/")
        size = (directory / copy).stat().st_size if (directory / copy).is_file() else 0
        files.append({"original": original, "copy": copy, "copy_size": size} | known)
    manifest = {"format": 4, "granularity": "object", "files": files}
    (directory / "quarry-carved.json").write_text(json.dumps(manifest))


@dataclass
class World:
    """A directory with data of a user, and one with carved files for them."""

    folder: Path
    user: int
    python: str
    variables: dict[str, str]
    originals: list[str] = field(default_factory=list)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def top(self) -> Path:
        """A directory that is not there, in the root."""
        return Path("/") / self.folder.name

    @property
    def carved(self) -> Path:
        return self.folder / "small"

    def carve(self, *originals: Path | str) -> None:
        """As `quarry carve` leaves it, but with a mark in the files that tells them apart."""
        self.originals += map(str, originals)
        for original in originals:
            write_file(self.carved / str(original).lstrip("/"), "carved")
        write_manifest(self.carved, self.originals)
        (self.carved / "originals").mkdir(exist_ok=True)
        self.give(self.carved)

    def give(self, path: Path) -> Path:
        for one in [path, *path.rglob("*")]:
            os.chown(one, self.user, self.user, follow_symlinks=False)
        return path

    def original(self, name: str = "in.h5") -> Path:
        write_file(self.data / name, "original")
        self.give(self.data)
        return self.data / name

    def command(self, *words: object, options: tuple = ()) -> list[str]:
        run = [QUARRY, "run", "--no-trace", "--carved", self.carved, *options, "--"]
        return [*as_user(self.user), *map(str, [*run, *words])]

    def environment(self) -> dict[str, str]:
        return clean_environment() | self.variables | {"XDG_STATE_HOME": str(self.folder / "state")}

    def run(
        self, *words: object, options: tuple = (), before: tuple = (), **more
    ) -> subprocess.CompletedProcess:
        defaults = {"capture_output": True, "text": True, "timeout": 60, "cwd": self.folder}
        return subprocess.run(
            [*map(str, before), *self.command(*words, options=options)],
            env=self.environment(),
            check=False,
            **(defaults | more),
        )

    @contextmanager
    def started(self, script: str, options: tuple = ()) -> Iterator[tuple[subprocess.Popen, str]]:
        """A shell on carved files, and the line that it writes once it is ready."""
        with subprocess.Popen(
            self.command("sh", "-c", script, options=options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment(),
            cwd=self.folder,
        ) as process:
            line = process.stdout.readline()
            assert line
            yield process, line

    def read(self, path: Path | str, **more) -> str:
        """What a program finds there."""
        done = self.run(self.python, "-c", READ, path, **more)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout.strip()

    def tree(self) -> dict[str, bytes | None]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(self.folder.rglob("*"))
        }


@pytest.fixture(params=["root", "user"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    user = 0 if request.param == "root" else os.geteuid() or NOBODY
    if user == 0 and os.geteuid() != 0:
        pytest.skip("needs root")
    with tempfile.TemporaryDirectory(prefix="quarry-carved-") as name:
        os.chmod(name, 0o755)
        os.chown(name, user, user)
        python, variables = python_of(user)
        made = World(Path(name), user, python, dict(variables))
        if user != 0:
            allowed = [*as_user(user), "unshare", "--user", "--mount", "true"]
            if subprocess.run(allowed, capture_output=True, check=False).returncode != 0:
                pytest.skip("users have no namespaces here")
        made.data.mkdir()
        made.give(made.data)
        yield made
        assert not list(made.folder.rglob("*placeholders")), "a list is left"
        assert not made.top.exists(), "something is left in /"


def test_an_original_is_covered(world: World) -> None:
    original = world.original()
    world.carve(original)
    before = world.tree()
    assert world.read(original) == "carved"
    assert world.tree() == before
    assert h5py.File(original)["which"][()] == b"original"


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
    assert quarry("run", "--trace", "t", "--", *program, cwd=tmp_path).returncode == 0
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


def test_the_working_directory_stays_and_sees_the_files(world: World) -> None:
    world.carve(world.data / "in.h5", world.top / "in.h5")
    assert world.read("in.h5", cwd=world.data) == "carved"
    assert world.run("pwd", cwd=world.data).stdout == f"{world.data}\n"
    covered = world.folder / "covered"
    covered.mkdir(mode=0o755)
    world.carve(covered / "gone/in.h5")
    assert world.read("gone/in.h5", cwd=covered) == "carved"


def test_a_list_that_is_left_is_worked_off_by_the_next_run(world: World) -> None:
    original = world.data / "gone/in.h5"
    world.carve(original)
    before = world.tree()
    with world.started("echo ready; exec sleep 60") as (process, _):
        process.kill()
    assert stat.S_IMODE(original.stat().st_mode) == 0, "nobody takes it for data"
    assert original.stat().st_size == 0
    assert world.run("true").returncode == 0
    assert world.tree() == before


def test_the_first_of_two_runs_to_end_takes_nothing_from_the_other(world: World) -> None:
    first, second = world.data / "gone/in.h5", world.data / "gone/other.h5"
    world.carve(first, second)
    before = world.tree()
    wait = f'echo ready; read line; exec {world.python} -c "{READ}" {first}'
    with world.started(wait) as (process, _):
        assert world.read(second) == "carved"
        assert world.tree() != before
        output, _ = process.communicate("go on\n", timeout=60)
        assert output == "carved\n"
    assert world.tree() == before


@pytest.mark.slow
def test_many_runs_at_once_of_which_some_are_killed(world: World) -> None:
    names = ["a b/in.h5", "new\nline/in.h5", "deep/er/in.h5", "in.h5"]
    world.carve(*(world.data / name for name in names))
    before = world.tree()
    code = (
        "import sys, time\nfor _ in range(20):\n    [open(p, 'rb').read()[1] for p in sys.argv[1:]]"
    )
    command = world.command(world.python, "-c", code + "\n    time.sleep(0.01)", *world.originals)
    chance = random.Random(int(os.environ["QUARRY_SEED"]))

    def one(is_killed: bool) -> int:
        with subprocess.Popen(command, env=world.environment(), cwd=world.folder) as process:
            if is_killed:
                time.sleep(chance.random() / 2)
                process.kill()
            return process.wait(timeout=60)

    with ThreadPoolExecutor(6) as pool:
        ends = list(pool.map(one, [chance.random() < 0.2 for _ in range(100)]))
    assert set(ends) <= {0, -signal.SIGKILL} and 0 in ends
    assert world.run("true").returncode == 0
    assert world.tree() == before


def carve_again(world: World) -> None:
    """Into another directory."""
    shutil.copytree(world.carved, world.folder / "small2", copy_function=shutil.copy)
    world.give(world.folder / "small2")


def on_the_other(world: World, *words: object) -> list[str]:
    command = world.command(*words)
    command[command.index(str(world.carved))] += "2"
    return command


def test_another_carved_directory_waits_its_turn(world: World) -> None:
    original = world.data / "in.h5"
    world.carve(original)
    carve_again(world)
    with world.started("echo ready; read line") as (process, _):
        again = on_the_other(world, "true")
        done = subprocess.run(
            again, env=world.environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 125 and f"{original} stands there for another" in done.stderr
        process.communicate("\n", timeout=60)
    assert not original.exists()


def test_the_placeholder_of_another_carved_directory_stays(world: World) -> None:
    """Also where a run that was killed had made one there, which the user has removed."""
    original = world.data / "in.h5"
    world.carve(original)
    carve_again(world)
    with world.started("echo ready; exec sleep 60") as (process, _):
        process.kill()
    original.unlink()
    look = f'echo ready; read line; exec {world.python} -c "{READ}" {original}'
    with subprocess.Popen(
        on_the_other(world, "sh", "-c", look),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=world.environment(),
    ) as process:
        assert process.stdout.readline() == "ready\n"
        done = world.run("true")
        assert done.returncode == 125 and "stands there for another" in done.stderr
        assert process.communicate("go on\n", timeout=60)[0] == "carved\n"
    assert not original.exists()


def test_runs_on_two_carved_directories_at_once(world: World) -> None:
    """Which of them has the place is open, but one has it, to its end."""
    world.carve(*(world.data / f"{name}.h5" for name in "cab"))
    carve_again(world)
    before = world.tree()
    look = f"ls {world.data}; sleep 0.1; exec cat {' '.join(world.originals)}"

    def one(command: list[str]) -> subprocess.CompletedProcess:
        return subprocess.run(command, env=world.environment(), capture_output=True, check=False)

    commands = [world.command("sh", "-c", look), on_the_other(world, "sh", "-c", look)]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(5):
            ends = list(pool.map(one, commands))
            assert 0 in (end.returncode for end in ends), ends
            assert all(end.returncode == 0 or not end.stdout for end in ends), ends
    assert world.tree() == before


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


def test_a_program_dies_with_its_launcher(world: World) -> None:
    world.carve(world.data / "in.h5")
    with world.started("echo $$; exec sleep 60") as (process, line):
        program = int(line)
        process.kill()
    for _ in range(100):
        if not Path(f"/proc/{program}").exists():
            break
        time.sleep(0.05)
    assert not Path(f"/proc/{program}").exists()
    world.run("true")


def test_true_files_can_be_reached_but_not_stumbled_on(world: World) -> None:
    original = world.original()
    world.carve(original)
    tree = world.carved / "originals/tree"
    assert world.read(f"{tree}{original}") == "original"
    if world.user != 0:
        assert world.run("sh", "-c", f"ls {tree.parent}").returncode != 0


def test_works_inside_itself(world: World) -> None:
    original, other = world.original(), world.data / "gone/in.h5"
    world.carve(original, other, world.top / "in.h5")
    before = world.tree()
    inner = [QUARRY, "run", "--no-trace", "--carved", world.carved, "--"]
    for path in (original, other, world.top / "in.h5"):
        done = world.run(*inner, world.python, "-c", READ, path)
        assert done.stdout == "carved\n", done.stderr
    tree = f"{world.carved}/originals/tree{original}"
    done = world.run(*inner, world.python, "-c", READ, tree)
    assert done.stdout == "original\n", done.stderr
    assert world.tree() == before


def test_not_inside_another_carved_directory(world: World) -> None:
    """The outer one would not be served any more, though its files are seen."""
    original = world.original()
    world.carve(original)
    carve_again(world)
    inner = [QUARRY, "run", "--no-trace", "--carved", f"{world.carved}2", "--"]
    done = world.run(*inner, world.python, "-c", READ, original)
    assert done.returncode == 125 and done.stdout == ""
    assert f"runs on the carved files in {world.carved} already" in done.stderr


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


def truly_carved(world: World) -> Path:
    """A file of which /unread was left out."""
    original = world.data / "in.h5"
    with h5py.File(original, "w") as file:
        file["read"], file["unread"] = np.arange(10), np.arange(100_000)
    world.give(world.data)
    trace = world.folder / "trace"
    program = "import h5py, sys; h5py.File(sys.argv[1])['read'][0]"
    for command in (
        ["run", "--trace", trace, "--", sys.executable, "-c", program, original],
        ["carve", trace, "-o", world.carved],
    ):
        subprocess.run([QUARRY, *map(str, command)], check=True, capture_output=True)
    shutil.rmtree(trace)
    world.give(world.carved)
    return original


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


def test_an_original_that_has_changed_is_named(world: World) -> None:
    original = truly_carved(world)
    done = world.run("true")
    assert "have changed" not in done.stderr
    with h5py.File(original, "a") as file:
        file["read"][0] = 42
    done = world.run("true")
    assert done.returncode == 0
    assert f"the program sees them as they were then: {original}." in done.stderr


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
