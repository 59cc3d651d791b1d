"""What tests of packed runs have in common: making them, and changing what is in them."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from cli import quarry, record

SCRIPT = """
import h5py, sys
from helping import doubled
with h5py.File("data/in.h5") as f, h5py.File("out.h5", "w", track_order=True) as g:
    g.create_dataset("twice", data=doubled(f["used"][...]), track_times=True)
with open(sys.argv[1], "w") as f:
    f.write("done\\n")
"""


def zstd(*words: object, data: bytes) -> bytes:
    return subprocess.run(
        ["zstd", "-q", *words], input=data, capture_output=True, check=True
    ).stdout


def entries_of(archive: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(zstd("-d", data=archive.read_bytes()))) as tar:
        return [
            (one, tar.extractfile(one).read() if one.isfile() else b"") for one in tar.getmembers()
        ]


def write_archive(archive: Path, entries: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for one, content in entries:
            tar.addfile(one, io.BytesIO(content))
    archive.write_bytes(zstd("-c", data=out.getvalue()))


def make_run(folder: Path, *more: str) -> Path:
    """A little run in `folder`, and its archive beside."""
    (folder / "data").mkdir(parents=True)
    with h5py.File(folder / "data/in.h5", "w") as f:
        f["used"] = np.random.default_rng(1).random(20000)
        f["unused"] = np.random.default_rng(2).random(200000)
    (folder / "script.py").write_text(SCRIPT)
    (folder / "helping.py").write_text("def doubled(x):\n    return 2 * x\n")
    record(folder, sys.executable, "script.py", "done.txt", *more)
    archive = folder.parent / "app.tar.zst"
    done = quarry("pack", "t", "-o", archive, cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return archive


def unpack(archive: Path, *options: object) -> subprocess.CompletedProcess:
    return quarry("unpack", archive, "-C", archive.parent / "new", *options)


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def refused(archive: Path, *why: str) -> str:
    before = left_in(archive.parent)
    done = unpack(archive)
    assert done.returncode == 125, done.stdout + done.stderr
    assert left_in(archive.parent) == before
    assert all(word in done.stderr for word in why), done.stderr
    return done.stderr


def entry(name: str, content: bytes = b"", **more: object) -> tuple[tarfile.TarInfo, bytes]:
    one = tarfile.TarInfo(name)
    one.size = len(content)
    for key, value in more.items():
        setattr(one, key, value)
    return one, content


def replace_manifest(archive: Path, manifest: bytes) -> None:
    (one, _), (sum_, _), *rest = entries_of(archive)
    line = f"{hashlib.sha256(manifest).hexdigest()}  pack.json\n".encode()
    one.size, sum_.size = len(manifest), len(line)
    write_archive(archive, [(one, manifest), (sum_, line), *rest])


def rewritten(archive: Path, change: Callable[[dict], None]) -> None:
    pack = json.loads(entries_of(archive)[0][1])
    change(pack)
    replace_manifest(archive, json.dumps(pack).encode())
