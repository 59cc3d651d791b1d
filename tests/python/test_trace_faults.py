"""Recording that meets an obstacle ends, says so in one line, and leaves the program alone."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from running import clean_environment

from cli import QUARRY, REPOSITORY, compile_c, quarry

ACCESSES = REPOSITORY / "build/bin/accesses"
SCATTERED = REPOSITORY / "build/bin/scattered_reads"
STATIC = REPOSITORY / "build/bin/other_files_static"
READS = 100_000
ANSWER = f"{sum(i * 7919 % 1_000_000 for i in range(READS))}\n"


@pytest.fixture(scope="session")
def short_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("memory") / "short_memory.so"
    source = REPOSITORY / "tests/support/short_memory.c"
    compile_c("-shared", "-fPIC", "-O1", "-o", library, source)
    return library


def made_by(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("part", range(8))
def test_memory_that_is_short_anywhere(
    tmp_path: Path, short_memory: Path, fixed_clock: dict[str, str], part: int
) -> None:
    draw = random.Random(f"{os.environ['QUARRY_SEED']} memory {part}")
    # Few at the beginning, where everything is set up, and some later.
    numbers = [part * 8 + n for n in range(8)] + [draw.randrange(64, 3000) for _ in range(2)]
    seed = draw.randrange(10**9)
    print("seed", seed)
    preload = f"{short_memory}:{fixed_clock['LD_PRELOAD']}"
    native = tmp_path / "native"
    native.mkdir()
    command = [ACCESSES, "write", str(seed), "expected.json"]
    env = clean_environment() | fixed_clock
    subprocess.run(command, cwd=native, env=env, check=True)
    for number in numbers:
        folder, trace = tmp_path / f"short{number}", tmp_path / f"trace{number}"
        folder.mkdir()
        env = {"LD_PRELOAD": preload, "SHORT_MEMORY": str(number)}
        done = quarry("run", "--trace", trace, "--", *command, cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
        assert made_by(folder) == made_by(native), number
        assert all(line.startswith("quarry: ") for line in done.stderr.splitlines())
        if any(trace.glob("*.qtrace")):
            shown = quarry("summary", "--json", trace)
            if shown.returncode != 0:
                assert "is empty" in shown.stderr and done.stderr
                continue
            summary = json.loads(shown.stdout)
            incomplete = [process["incomplete"] for process in summary["processes"]]
            reads = sum(row["reads"] + row["writes"] for row in summary["usage"])
            expected = len(json.loads((folder / "expected.json").read_text()))
            # Complete, or it says that it is not; where, stderr has it as well.
            assert reads == expected or "memory was short" in incomplete or done.stderr
            assert ("memory was short" in incomplete) <= ("is incomplete from here" in done.stderr)


def check_stopped(done: subprocess.CompletedProcess, why: str) -> None:
    assert (done.returncode, done.stdout) == (0, ANSWER), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert "is incomplete from here" in done.stderr
    assert why in done.stderr


def test_a_disk_that_fills_up(tmp_path: Path, own_mounts: tuple[str, ...]) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run([SCATTERED, "data.h5", "1"], cwd=tmp_path, check=True, capture_output=True)
    script = f"""
mount -t tmpfs -o size=3m none {disk}
{QUARRY} run --trace {disk}/t -- {SCATTERED} data.h5 {READS}
status=$?
{QUARRY} summary {disk}/t > summary.txt
exit $status
"""
    done = subprocess.run(
        [*own_mounts, "sh", "-c", script],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    check_stopped(done, "No space left on device")
    summary = (tmp_path / "summary.txt").read_text()
    assert "was not recorded to its end: it could not be written any more" in summary


def test_a_directory_that_vanishes(tmp_path: Path) -> None:
    code = f"""
import shutil, subprocess, sys
import h5py, numpy as np
with h5py.File("data.h5", "w") as f: f["x"] = np.arange(100)
shutil.rmtree("t")
f = h5py.File("data.h5", "r")
for i in range(20000): f["x"][i % 100]
sys.stdout.write({ANSWER!r})
"""
    done = quarry("run", "--trace", "t", "--", sys.executable, "-c", code, cwd=tmp_path)
    check_stopped(done, "removed")
    assert not (tmp_path / "t").exists()


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    done = quarry("run", "--trace", "/proc/nowhere", "--", SCATTERED, "data.h5", "10", cwd=tmp_path)
    assert done.returncode != 0 or "/proc/nowhere" in done.stderr
    assert "/proc/nowhere" in done.stderr


AS_NOBODY = "setpriv --reuid 65534 --clear-groups"
CHILD_AS_NOBODY = """
import os, h5py
h5py.File("in.h5")["x"][0]
if os.fork() == 0:
    os.setuid(65534)
    h5py.File("in.h5")["y"][0]
    os._exit(0)
os.wait()
"""
WITHOUT_A_RECORD = {
    "no number for a file": "(ulimit -n 4; cat in.h5)",
    "a full disk": "mount -t tmpfs -o remount,size=8k none t; cat in.h5",
    "another user": f"{AS_NOBODY} cat in.h5",
    "another user, in a shell": f"{AS_NOBODY} dash -c '{STATIC}; true'",
    "another user in a child": f"{sys.executable} -c '{CHILD_AS_NOBODY}'",
}


@pytest.mark.parametrize("why", WITHOUT_A_RECORD)
def test_a_process_that_cannot_record_is_missed(own_mounts: tuple[str, ...], why: str) -> None:
    """Nobody can tell what it has read: what others have recorded is not all."""
    if not shutil.which("setpriv"):
        pytest.skip("needs to become somebody else")
    script = f"""
mount -t tmpfs none t
chmod 755 t
{QUARRY} run --trace t -- sh -c "$1" > /dev/null
{QUARRY} carve t -o small
"""
    read = f"""{sys.executable} -c 'import h5py; h5py.File("in.h5")["x"][0]'"""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "t").mkdir()
        with h5py.File(folder / "in.h5", "w") as file:
            file["x"] = file["y"] = np.arange(10000)
        done = subprocess.run(
            [*own_mounts, "sh", "-c", script, "sh", f"{read}\n{WITHOUT_A_RECORD[why]}"],
            cwd=folder,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert "cannot record into" in done.stderr, done.stderr
    assert done.returncode == 125 and "does not tell all that was read" in done.stderr, done.stderr
