"""Programs on files of which a little was read before they were carved."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
from carving import run

from cli import quarry

# Everything that tells that data was carved away: values, properties, chunks as they are stored.
LOOK = """
import h5py, sys
f = h5py.File(sys.argv[1])
print(f.filename, f.id.name)
for name in sys.argv[2:] or sorted(f):
    d = f[name]
    creation = d.id.get_create_plist()
    filters = [creation.get_filter(i) for i in range(creation.get_nfilters())]
    fill = d.fillvalue if d.dtype.kind != "O" else None
    print(name, d.chunks, d.compression, fill, filters, creation.get_fill_time(), creation.get_alloc_time())
    print(d.id.get_storage_size(), d.id.get_space_status(), creation.get_layout())
    print(d.id.get_access_plist().get_chunk_cache())
    if d.chunks:
        # All but their addresses, at which there is something else in the file by now.
        every = [d.id.get_chunk_info(i) for i in range(d.id.get_num_chunks())]
        print([(c.chunk_offset, c.filter_mask, c.size, d.id.get_chunk_info_by_coord(c.chunk_offset).size) for c in every])
        seen = []
        d.id.chunk_iter(seen.append)
        print([(c.chunk_offset, c.filter_mask, c.size) for c in seen] == [(c.chunk_offset, c.filter_mask, c.size) for c in every])
        print([hash(d.id.read_direct_chunk(c.chunk_offset)) for c in every])
    for part in (slice(None), slice(5, 9), [3, 7]):
        print(hash(d[part].tobytes()) if d.dtype.kind != "O" else d[part][:3])
"""
DATASETS = ("contiguous", "gzip", "pairs", "partly", "used", "words")


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
    run(folder, "import h5py; f = h5py.File('in.h5'); f['used'][0]; f['partly'][0, 0]")
    options = ("--granularity", "chunk", "--checksums")
    done = quarry("carve", "t", "-o", "small", *options, cwd=folder)
    assert done.returncode == 0, done.stdout
    return file


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
