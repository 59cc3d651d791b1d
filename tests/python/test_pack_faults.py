"""An archive holds what was run and says what it does not hold; nothing is written over or waited for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from packing import (
    entries_of,
    make_run,
    record,
    refused,
    replace_manifest,
    rewritten,
    unpack,
)
from running import clean_environment

from cli import QUARRY, quarry


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make_run(tmp_path / "work")


def pack_again(archive: Path) -> subprocess.CompletedProcess:
    return quarry("pack", "t", "-o", archive, cwd=archive.parent / "work")


def test_files_that_cannot_be_compared_are_not_written_over(archive: Path, tmp_path: Path) -> None:
    made = tmp_path / "work/done.txt"
    made.write_text("mine")
    os.utime(made, (2e9, 2e9))
    assert f"Cannot be compared later: {made}" in pack_again(archive).stdout
    (tmp_path / "work/out.h5").unlink()
    done = unpack(archive, "--run")
    assert done.returncode == 125 and f"{made} is there" in done.stderr, done.stderr
    assert made.read_text() == "mine"


def test_files_that_were_there_before_are_not_added_to(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("mine\n")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = np.arange(5000.0)
    program = "import h5py; h5py.File('in.h5')['used'][0]; open('log.txt', 'a').write('run\\n')"
    record(tmp_path, sys.executable, "-c", program)
    done = quarry("pack", "t", "-o", "app.tar.zst", cwd=tmp_path)
    assert "log.txt: it was there before the run" in done.stdout
    done = unpack(tmp_path / "app.tar.zst", "--run")
    assert done.returncode == 125 and "log.txt is there" in done.stderr, done.stderr
    assert (tmp_path / "log.txt").read_text() == "mine\nrun\n"


@pytest.mark.parametrize("name", ("script.py", "helping.py"))
def test_programs_that_changed_after_the_run_are_left_out(name: str, archive: Path) -> None:
    changed = archive.parent / "work" / name
    os.utime(changed, (2e9, 2e9))
    why = "it was changed after the run"
    assert f"Not in it: {changed} ({why}).\n" in pack_again(archive).stdout
    pack = json.loads(entries_of(archive)[0][1])
    assert pack["left_out"] == [{"path": str(changed), "why": why}]
    assert len(pack["programs"]) == 1
