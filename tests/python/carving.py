"""What tests of carved files have in common: making them, and finding what is in them."""

import ctypes
import json
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from cli import REPOSITORY, quarry, record

PROGRAMS = Path(__file__).parent / "programs"


def tool(name: str) -> str:
    own = REPOSITORY / ".deps/hdf5/bin" / name
    found = str(own) if own.exists() else shutil.which(name)
    if not found:
        pytest.skip(f"needs {name}")
    return found


def make_rich(folder: Path) -> Path:
    """A file with something of everything."""
    with h5py.File(folder / "in.h5", "w", track_order=True) as f:
        for name in ("zeta", "alpha", "mu"):
            f[name] = np.random.default_rng(1).random((200, 100))
            f[name].attrs["of"] = name
        f["alias"] = f["mu"]
        f["soft"] = h5py.SoftLink("/nowhere")
        f["outside"] = h5py.ExternalLink("gone.h5", "/x")
        f.create_group("circle")["back"] = f["/"]
        f["packed"] = np.zeros(0)
        f.create_dataset("gzip", data=f["mu"][...], chunks=(20, 100), compression=4)
        f["points"] = np.array([f["alpha"].ref, f["circle"].ref, h5py.Reference()], h5py.ref_dtype)
        f.attrs.create("region", f["zeta"].regionref[2:5, 1:3], dtype=h5py.regionref_dtype)
        f["type"] = np.dtype([("a", "i4"), ("b", "f8")])
        f["typed"] = np.zeros(9000, f["type"].dtype)
        f.create_dataset("shared", (9000,), f["type"])
    return folder / "in.h5"


def run(folder: Path, code: str, *words: str, trace: str = "t") -> subprocess.CompletedProcess:
    return record(folder, sys.executable, "-c", code, *words, trace=trace)


def carve(folder: Path, *words: object) -> dict:
    done = quarry("carve", "-o", "small", "--json", *words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def copy_of(file: Path, folder: Path | None = None) -> Path:
    return (folder or file.parent) / "small" / file.relative_to("/")


def verify(original: Path, carved: Path, *words: object, **more) -> dict:
    done = quarry("verify", original, carved, *words, "--json", **more)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["same"] else 1), done.stderr
    return found


def refuses(dataset: h5py.Dataset) -> bool:
    with pytest.raises(OSError, match="no data can be read|not registered"):
        dataset[...]
    return True


class LinkClass(ctypes.Structure):
    """H5L_class_t"""

    _fields_ = [
        ("version", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("comment", ctypes.c_char_p),
        ("functions", ctypes.c_void_p * 6),
    ]


class FilterClass(ctypes.Structure):
    """H5Z_class2_t"""

    _fields_ = [
        ("version", ctypes.c_int),
        ("number", ctypes.c_int),
        ("encodes", ctypes.c_uint),
        ("decodes", ctypes.c_uint),
        ("name", ctypes.c_char_p),
        ("functions", ctypes.c_void_p * 3),
    ]


def library_of_h5py() -> ctypes.CDLL:
    lines = Path("/proc/self/maps").read_text().splitlines()
    return ctypes.CDLL(
        next(p for p in (line.split()[-1] for line in lines) if "h5py" in p and "libhdf5-" in p)
    )


def hdf5(name: str, *words: object, gives: type = ctypes.c_int) -> int:
    """Calls a function of h5py's HDF5 that h5py itself does not offer."""
    function = getattr(library_of_h5py(), name)
    function.restype = gives
    answer = function(*(ctypes.c_int64(w) if isinstance(w, int) else w for w in words))
    assert answer >= 0, f"{name} failed"
    return answer
