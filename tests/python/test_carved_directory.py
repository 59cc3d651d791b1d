"""The directory of carved files: damaged, mixed up, in use, or with a strange name."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
from carved_runs import natively, on_carved
from carving import copy_of, run

from cli import QUARRY, quarry


def test_a_name_that_hdf5_cannot_be_told(carved: Path) -> None:
    strange = (carved.parent / "small").rename(carved.parent / "sm{all")
    command = ("--", sys.executable, "-c", "print('ran')")
    done = quarry("run", "--no-trace", "--carved", strange, *command, cwd=carved.parent)
    assert done.returncode == 125 and "ran" not in done.stdout
    assert f"{strange} has a brace" in done.stderr


def test_whoever_runs_waits_for_whoever_carves(carved: Path) -> None:
    program = "import h5py; print(h5py.File('in.h5')['gzip'][5].sum())"
    folder = os.open(carved.parent / "small", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    done = quarry("carve", "t", "-o", "small", cwd=carved.parent)
    assert done.returncode == 125 and "is in use" in done.stderr
    command = [
        QUARRY,
        "run",
        "--no-trace",
        "--carved",
        "small",
        "--",
        sys.executable,
        "-c",
        program,
    ]
    with subprocess.Popen(
        command, cwd=carved.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as waiting:
        assert "waiting: small is being carved" in waiting.stderr.readline()
        os.close(folder)
        assert waiting.communicate()[0] == natively(carved.parent, program)


def test_copies_of_another_carving_are_refused(carved: Path) -> None:
    """As half of a copied directory leaves them."""
    folder = carved.parent
    done = quarry("carve", "t", "-o", "more", "--keep", "/gzip", cwd=folder)
    assert done.returncode == 0
    shutil.copy2(folder / "more" / carved.relative_to("/"), copy_of(carved))
    done = on_carved(folder, "print(1)")
    assert (done.returncode, done.stdout) == (125, "")
    assert "in.h5 is not the copy that" in done.stderr and "carve again" in done.stderr


def test_a_damaged_table_is_named(carved: Path) -> None:
    table = carved.parent / "small/quarry-carved" / carved.relative_to("/")
    whole = table.read_bytes()
    one_bit = bytearray(whole)
    one_bit[len(whole) // 2] ^= 4
    for bytes_ in (b"damaged" * 20, whole[:-8], one_bit, None):
        table.unlink() if bytes_ is None else table.write_bytes(bytes_)
        done = on_carved(carved.parent, "print('started')")
        assert done.returncode == 125 and "started" not in done.stdout
        what = "No such file or directory. Carve again" if bytes_ is None else " is damaged: "
        assert str(table) in done.stderr and what in done.stderr
    table.write_bytes(whole)
    assert on_carved(carved.parent, "print('started')").stdout == "started\n"
    manifest = carved.parent / "small/quarry-carved.json"
    content = json.loads(manifest.read_text())
    for broken in ("", "[]", "{", json.dumps(content | {"format": 99}), json.dumps({"format": 1})):
        manifest.write_text(broken)
        done = on_carved(carved.parent, "print('started')")
        assert done.returncode == 125 and "started" not in done.stdout
        assert "Carve again" in done.stderr


def test_a_list_that_leads_elsewhere_is_refused(carved: Path) -> None:
    manifest = carved.parent / "small/quarry-carved.json"
    content = json.loads(manifest.read_text())
    (file,) = content["files"]
    elsewhere = f"{carved.parent}/../outside/in.h5"
    for files in (
        None,
        {},
        [file | {"original": elsewhere}],
        [file | {"also": [elsewhere]}],
        [file | {"original": f"{carved}\0"}],
    ):
        manifest.write_text(json.dumps(content | {"files": files}))
        done = on_carved(carved.parent, "print('started')")
        assert done.returncode == 125 and "started" not in done.stdout, files
        assert "is damaged" in done.stderr


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"in-\xff.h5")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = f["unused"] = np.arange(20000)
    (tmp_path / "in.h5").rename(tmp_path / name)
    read = "import h5py, os; print(h5py.File(os.fsdecode(b'in-\\xff.h5'))['used'][7])"
    run(tmp_path, read)
    assert quarry("carve", "t", "-o", "small", "--json", cwd=tmp_path).returncode == 0
    (tmp_path / name).unlink()
    assert on_carved(tmp_path, read).stdout == "7\n"


def test_a_directory_that_is_in_use_is_not_replaced(carved: Path) -> None:
    folder = carved.parent
    command = ["run", "--no-trace", "--carved", "small", "--", "sh", "-c", "echo in; read line"]
    with subprocess.Popen(
        [QUARRY, *command], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "in\n"
        done = quarry("carve", "t", "-o", "small", cwd=folder)
        assert done.returncode == 125 and "is in use" in done.stderr
        running.communicate("end\n")
    assert quarry("carve", "t", "-o", "small", cwd=folder).returncode == 0
