"""A directory with data of a user, and one with carved files for them; for root and for others."""

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
import pytest
from running import clean_environment

from cli import QUARRY

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
    manifest = {"format": 5, "granularity": "object", "files": files}
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


@contextmanager
def world_of(owner: str) -> Iterator[World]:
    """Of `root`, or of a `user`; asserts that nothing is left of it but what is in its directory."""
    user = 0 if owner == "root" else os.geteuid() or NOBODY
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


def carve_again(world: World) -> None:
    """Into another directory."""
    shutil.copytree(world.carved, world.folder / "small2", copy_function=shutil.copy)
    world.give(world.folder / "small2")


def on_the_other(world: World, *words: object) -> list[str]:
    command = world.command(*words)
    command[command.index(str(world.carved))] += "2"
    return command


def truly_carved(world: World, *options: str) -> Path:
    """A file of which /unread was left out."""
    original = world.data / "in.h5"
    with h5py.File(original, "w") as file:
        file["read"], file["unread"] = np.arange(10), np.arange(100_000)
    world.give(world.data)
    trace = world.folder / "trace"
    program = "import h5py, sys; h5py.File(sys.argv[1])['read'][0]"
    for command in (
        ["run", "--trace", trace, "--", sys.executable, "-c", program, original],
        ["carve", trace, "-o", world.carved, *options],
    ):
        subprocess.run([QUARRY, *map(str, command)], check=True, capture_output=True)
    shutil.rmtree(trace)
    world.give(world.carved)
    return original
