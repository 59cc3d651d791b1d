"""Files that are not HDF5: who has used which, and how many bytes of each."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from running import clean_environment

from cli import QUARRY, quarry, record

TREE = Path(__file__).parents[2]
PROGRAMS = TREE / "build/bin"
LIBRARY = TREE / "build/lib/quarry/preload/libquarry_files.so"


def record_quietly(folder: Path, *command: str | Path, options: tuple[str, ...] = ()) -> str:
    done = record(folder, *command, options=("-q", *options))
    assert done.stderr == ""
    return done.stdout


def uses(folder: Path) -> list[dict]:
    done = quarry("export", folder / "t")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return [e for e in events if e["event"] == "other file"]


def moved(folder: Path) -> dict[str, tuple[int, int]]:
    """Bytes read and written of each file, by its name."""
    read, written = Counter(), Counter()
    for use in uses(folder):
        name = Path(use["file"]).name
        read[name] += use["bytes_read"]
        written[name] += use["bytes_written"]
    return {name: (read[name], written[name]) for name in read}


def test_all_ways_of_c(tmp_path: Path) -> None:
    (tmp_path / "appended.txt").write_text("before\n")
    assert record_quietly(tmp_path, PROGRAMS / "other_files") == "twelve bytes\n"
    assert moved(tmp_path) == {
        "newer.bin": (100 + 200 + 300 + 400, 100 + 40),
        "stream.bin": (30000, 70000),
        "calls.bin": (300 + 50 + 1200 + 4096, 1700),
        "appended.txt": (0, 10),
        "copy.bin": (0, 1200),
        "open.txt": (0, 7),
    }
    mapped = {Path(u["file"]).name for u in uses(tmp_path) if u["mapped"]}
    assert mapped == {"calls.bin"}


def test_python_and_what_it_starts(tmp_path: Path) -> None:
    record_quietly(
        tmp_path,
        sys.executable,
        "-c",
        """
import numpy as np, pickle, h5py, subprocess, shutil, os
np.arange(1000.0).tofile("a.bin")
np.save("b.npy", np.arange(500))
with open("c.pkl", "wb") as f: pickle.dump(list(range(1000)), f)
assert np.fromfile("a.bin").sum() == np.arange(1000.0).sum()
with open("c.pkl", "rb") as f: pickle.load(f)
with open("d.txt", "w") as f: f.write("hello\\n" * 10)
shutil.copyfile("d.txt", "e.txt")
with h5py.File("f.h5", "w") as f: f["x"] = np.arange(100)
with h5py.File("f.h5") as f: f["x"][:10]
subprocess.run("cat d.txt > g.txt; wc -l < g.txt > h.txt; cp f.h5 i.h5", shell=True, check=True)
if os.fork() == 0:
    open("j.txt", "w").write("12345")
    os._exit(0)
os.wait()
""",
    )
    size = (tmp_path / "f.h5").stat().st_size
    pickled = (tmp_path / "c.pkl").stat().st_size
    assert moved(tmp_path) == {
        "a.bin": (8000, 8000),
        "b.npy": (0, 4128),
        "c.pkl": (pickled, pickled),
        "d.txt": (120, 60),
        "e.txt": (0, 60),
        "f.h5": (size, 0),  # by cp alone: HDF5's own I/O is recorded as such
        "g.txt": (60, 60),
        "h.txt": (0, (tmp_path / "h.txt").stat().st_size),
        "i.h5": (0, size),
        "j.txt": (0, 5),
    }


def test_a_trace_that_lies_among_data(tmp_path: Path) -> None:
    """The trace's own file is opened again and again, and is never taken for a file of the program."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        program = PROGRAMS / "scattered_reads"
        record_quietly(Path(folder), program, "data.h5", "70000")
        assert uses(Path(folder)) == []
        assert len(list((Path(folder) / "t").iterdir())) == 1


def test_turned_off(tmp_path: Path) -> None:
    quarry(
        *("run", "-q", "--trace", tmp_path / "t", "--no-files", "--"),
        *(PROGRAMS / "other_files",),
        cwd=tmp_path,
    )
    assert not (tmp_path / "t").exists() or not list((tmp_path / "t").glob("*.qtrace"))


def test_names_programs_that_it_cannot_see_into(tmp_path: Path) -> None:
    static = PROGRAMS / "other_files_static"
    code = f"""
import subprocess
open("mine.txt", "w").write("x")
subprocess.run(["{static}"], check=True, stdout=subprocess.DEVNULL)
subprocess.run(["/bin/cat", "mine.txt"], check=True, env={{}}, stdout=subprocess.DEVNULL)
"""
    record_quietly(tmp_path, sys.executable, "-c", code)
    record_quietly(tmp_path, "sh", "-c", f"{static} > /dev/null")
    shown = quarry("summary", tmp_path / "t").stdout
    assert "could not be seen" in shown
    assert str(static) in shown
    assert "/bin/cat" in shown
    assert set(moved(tmp_path)) == {"mine.txt"}


IN_PYTHON = f"""
import multiprocessing, subprocess
def start(*_): subprocess.run(["{PROGRAMS}/other_files_static"], stdout=subprocess.DEVNULL)
"""
WITH_NO_RECORD = {
    "a shell": ("dash", "-c", f"{PROGRAMS}/other_files_static > /dev/null; true"),
    "Python": (sys.executable, "-c", IN_PYTHON + "start()"),
    "a worker": (
        *(sys.executable, "-c"),
        IN_PYTHON
        + "open('mine.txt', 'w').write('x')\n"
        + "with multiprocessing.get_context('fork').Pool(1) as pool: pool.map(start, [0])",
    ),
}


@pytest.mark.parametrize("parent", WITH_NO_RECORD)
def test_names_what_is_started_by_a_process_that_has_recorded_nothing(
    tmp_path: Path, parent: str
) -> None:
    """It may have only borrowed its parent's memory, in which nothing can begin to be recorded."""
    record_quietly(tmp_path, *WITH_NO_RECORD[parent])
    summary = json.loads(quarry("summary", "--json", tmp_path / "t").stdout)
    assert summary["unseen_programs"] == [f"{PROGRAMS}/other_files_static"]
    assert summary["problems"] == []


@pytest.mark.parametrize("change", ("HDF5_VOL_CONNECTOR=native", "-u HDF5_VOL_CONNECTOR"))
def test_names_programs_that_are_not_told_to_record(tmp_path: Path, change: str) -> None:
    record_quietly(tmp_path, "sh", "-c", f"env {change} cat /dev/null; env A=1 cat /dev/null")
    summary = json.loads(quarry("summary", "--json", tmp_path / "t").stdout)
    assert [Path(program).name for program in summary["unseen_programs"]] == ["cat"]


# Of the kernel's making: version 2, in effect at once; that of opening ports below 1024.
CAPABILITY = struct.pack("<5I", 0x0200_0001, 1 << 10, 0, 0, 0)


@pytest.mark.parametrize("rights", ("of its owner", "of its group", "some of root"))
def test_names_programs_that_get_other_rights(rights: str) -> None:
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs to become somebody else")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        (folder / "t").mkdir()
        for path in (folder, folder / "t"):
            path.chmod(0o777)
        program = Path(shutil.copy("/bin/cat", folder))
        if rights == "some of root":
            os.setxattr(program, "security.capability", CAPABILITY)
        else:
            program.chmod(0o4755 if rights == "of its owner" else 0o2755)
        nobody = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
        record_quietly(folder, *nobody, "sh", "-c", f"{program} /dev/null; true")
        summary = json.loads(quarry("summary", "--json", folder / "t").stdout)
        assert summary["unseen_programs"] == [str(program)]


def test_stays_behind_the_users_own_preloaded_library(tmp_path: Path) -> None:
    script = 'import os; print(os.environ.get("LD_PRELOAD"))'
    command = [QUARRY, "run", "-q", "--trace", tmp_path / "t"]
    env = clean_environment() | {"LD_PRELOAD": "libdl.so.2"}

    def preloaded(*more: str) -> str:
        return subprocess.run(
            [*command, *more, "--", sys.executable, "-c", script],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    assert preloaded() == f"libdl.so.2:{LIBRARY}"
    assert preloaded("--no-files") == "libdl.so.2"
    # Inside another one it is loaded once, and a run that wants none takes it out.
    assert preloaded("--", QUARRY, "run", "-q") == f"libdl.so.2:{LIBRARY}"
    assert preloaded("--", QUARRY, "run", "-q", "--no-files") == "libdl.so.2"


@pytest.mark.parametrize("stage", ["before", "after"])
def test_killed_processes_leave_what_they_did(tmp_path: Path, stage: str) -> None:
    end = "os.kill(os.getpid(), 9)" if stage == "before" else "f.flush(); os.kill(os.getpid(), 9)"
    code = f'import os\nf = open("x.txt", "w")\nf.write("123")\n{end}'
    done = quarry(
        "run", "-q", "--trace", tmp_path / "t", "--", sys.executable, "-c", code, cwd=tmp_path
    )
    assert done.returncode in (-9, 137)
    assert moved(tmp_path) == {"x.txt": (0, 3 if stage == "after" else 0)}
    assert os.path.getsize(tmp_path / "x.txt") == (3 if stage == "after" else 0)
