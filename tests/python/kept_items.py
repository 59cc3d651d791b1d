"""Files of which each has one item that carving must keep, made, traced and carved together.

An item is a generator: it makes a file at the path that it is given, yields the paths of the datasets that
a program reads, is sent the path of the carved copy, and asserts that the item is in there. Datasets with
`kept` in their name are kept without being read.
"""

import inspect
import json
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import PROGRAMS, hdf5

from cli import quarry, record

Checks = Generator[list[str], Path, None]
Item = Callable[[Path], Checks]
NUMBERS = np.arange(600).reshape(20, 30)


def made(file: h5py.File, name: str, kind: object, **calls: tuple) -> h5py.Dataset:
    """With a creation list on which these of its functions were called."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    for function, words in calls.items():
        getattr(properties, function)(*words)
    space = h5py.h5s.create_simple((20, 30))
    return h5py.Dataset(h5py.h5d.create(file.id, name.encode(), kind, space, properties))


def add(file: h5py.File, **settings: object) -> None:
    """The same dataset twice, of which one is to be hollow."""
    for name in ("kept", "unread"):
        file.create_dataset(name, data=NUMBERS, **settings)


def create_sharing(path: Path, least: int) -> h5py.File:
    """A file in which headers share all messages that have at least this many bytes."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    hdf5("H5Pset_shared_mesg_nindexes", creation.id, 1)
    hdf5("H5Pset_shared_mesg_index", creation.id, 0, 0x182A, least)  # H5O_SHMESG_ALL_FLAG
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V18, h5py.h5f.LIBVER_V110)
    return h5py.File(h5py.h5f.create(bytes(path), fcpl=creation, fapl=access))


class Carved:
    """All items, carved in one way. Whatever goes wrong with one is raised when that one is checked."""

    def __init__(self, folder: Path, items: dict[str, Item], granularity: str) -> None:
        self.folder = folder
        self.started: dict[str, Generator] = {}
        self.failed: dict[str, Exception] = {}
        reads = [self._make(name, item) for name, item in items.items()]
        record(folder, sys.executable, PROGRAMS / "open_files.py", input="".join(reads))
        ways = ["--granularity", granularity, "--keep", "*kept*", "--keep-below", "0"]
        done = quarry("carve", "t", "-o", "small", "--json", *ways, cwd=folder)
        assert done.stdout, done.stderr
        self.fates = {fate["original"]: fate for fate in json.loads(done.stdout)["files"]}
        self.said = done.stdout

    def _file(self, name: str) -> Path:
        return self.folder / name / "in.h5"

    def _make(self, name: str, item: Item) -> str:
        file = self._file(name)
        file.parent.mkdir()
        self.started[name] = item(file)
        try:
            return "\t".join([str(file), *next(self.started[name])]) + "\n"
        except (OSError, RuntimeError, TypeError, ValueError, AssertionError) as error:
            self.failed[name] = error
            return ""

    def check(self, name: str) -> None:
        if name in self.failed:
            raise self.failed[name]
        file = str(self._file(name))
        assert file in self.fates, self.said
        for trouble in ("problem", "why_whole"):
            assert not self.fates[file][trouble], self.fates[file][trouble]
        try:
            self.started[name].send(self.folder / "small" / file.lstrip("/"))
        except StopIteration:
            return
        raise AssertionError("an item yields once")


def carved_in_both_ways(items: dict[str, Item]) -> Callable:
    """The fixture of a module that checks these items."""

    @pytest.fixture(scope="module", params=["object", "chunk"])
    def carved(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Carved:
        return Carved(tmp_path_factory.mktemp("items"), items, request.param)

    return carved


def items_in(module: object) -> dict[str, Item]:
    """By their names in words."""
    functions = inspect.getmembers(module, inspect.isgeneratorfunction)
    return {
        name.replace("_", " "): function
        for name, function in functions
        if function.__module__ == module.__name__
    }
