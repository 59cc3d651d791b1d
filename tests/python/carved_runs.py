"""Programs on files of which a little was read before they were carved."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

from cli import quarry


def make(path: Path) -> Path:
    values = np.random.default_rng(1).random((400, 30))
    with h5py.File(path, "w", libver=("earliest", "v110")) as f:
        f["used"] = values
        f["contiguous"] = values + 1
        f.create_dataset("gzip", data=values + 2, chunks=(50, 6), compression=4, fillvalue=3)
        f.create_dataset("partly", data=values + 3, chunks=(50, 6), shuffle=True)
        f.create_dataset(
            "words", data=[f"word {i}" for i in range(9000)], dtype=h5py.string_dtype()
        )
        f["pairs"] = np.array([(1, 2.5)] * 9000, [("a", "i4"), ("b", "f8")])
        f["gzip"].attrs["of"] = 1
        f["group/link"] = f["gzip"]
        f["group/soft"] = h5py.SoftLink("/contiguous")
    return path


def make_carved(folder: Path) -> Path:
    """A file of which a little was read, and its carved copy in `small`."""
    file = make(folder / "in.h5")
    record(folder, "import h5py; f = h5py.File('in.h5'); f['used'][0]; f['partly'][0, 0]")
    options = ("--granularity", "chunk", "--checksums")
    done = quarry("carve", "t", "-o", "small", *options, cwd=folder)
    assert done.returncode == 0, done.stdout
    return file


def record(folder: Path, program: str) -> None:
    done = quarry("run", "--trace", "t", "--", sys.executable, "-c", program, cwd=folder)
    assert done.returncode == 0, done.stderr


def on_carved(
    folder: Path, program: str, *words: str, options: tuple = ()
) -> subprocess.CompletedProcess:
    command = ("--", sys.executable, "-c", program, *words)
    env = {"PYTHONHASHSEED": "0"}
    return quarry("run", "--no-trace", "--carved", "small", *options, *command, cwd=folder, env=env)


def natively(folder: Path, program: str, *words: str) -> str:
    env = dict(os.environ, PYTHONHASHSEED="0")
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout
