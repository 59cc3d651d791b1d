"""What is recorded is complete: of many processes, of threads, of processes that were killed."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from running import clean_environment

from cli import QUARRY, quarry, record

PREPARE = """
import sys, os, h5py, numpy as np
with h5py.File("data.h5", "w") as f:
    f.create_dataset("a/x", data=np.arange(8000.0).reshape(80, 100), chunks=(1, 100))
    f["y"] = np.arange(50)
"""


def events(trace: Path) -> list[dict]:
    done = quarry("export", trace)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def reads(trace: Path, path: str) -> list[dict]:
    return [e for e in events(trace) if e["event"] == "read" and e["object"] == path]


def prepare(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", PREPARE], cwd=folder, check=True)


def record_program(folder: Path, code: str, task: str | None = None) -> None:
    assert record(folder, sys.executable, "-c", code, task=task).stderr == ""


@pytest.mark.parametrize("opened", ["before the fork", "in each worker"])
def test_a_pool_of_forked_workers(tmp_path: Path, opened: str) -> None:
    prepare(tmp_path)
    before = 'f = h5py.File("data.h5", "r")' if opened == "before the fork" else "f = None"
    record_program(
        tmp_path,
        f"""
import multiprocessing, h5py
{before}
def row(i):
    global f
    f = f or h5py.File("data.h5", "r")
    return float(f["a/x"][i].sum())
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(8) as pool:
        assert sum(pool.map(row, range(80), chunksize=1)) == sum(range(8000))
""",
    )
    found = reads(tmp_path / "t", "/a/x")
    assert sorted(e["selection"]["start"] for e in found) == [[i, 0] for i in range(80)]
    assert {e["file"] for e in found} == {str(tmp_path / "data.h5")}


def test_threads_and_two_libraries_in_one_process(tmp_path: Path) -> None:
    prepare(tmp_path)
    record_program(
        tmp_path,
        """
import threading, h5py, netCDF4, numpy as np
with netCDF4.Dataset("other.nc", "w") as d:
    d.createDimension("n", 40)
    d.createVariable("v", "f8", ("n",))[:] = np.arange(40)
def with_h5py():
    with h5py.File("data.h5", "r") as f:
        for i in range(40): f["a/x"][i]
def with_netcdf():
    with netCDF4.Dataset("other.nc") as d:
        for i in range(40): d["v"][i]
threads = [threading.Thread(target=t) for t in (with_h5py, with_h5py, with_netcdf)]
[t.start() for t in threads]
[t.join() for t in threads]
""",
    )
    found = events(tmp_path / "t")
    counted = Counter(e["object"] for e in found if e["event"] == "read")
    assert counted == {"/a/x": 80, "/v": 40}
    assert len({e["thread"] for e in found if e["event"] == "read"}) == 3


def test_six_processes_at_once_into_one_trace(tmp_path: Path) -> None:
    prepare(tmp_path)
    code = 'import h5py; f = h5py.File("data.h5", "r"); [f["a/x"][i] for i in range(50)]'
    command = [QUARRY, "run", "--trace", "t", "--task"]
    started = [
        subprocess.Popen(
            [*command, f"task {i}", "--", sys.executable, "-c", code],
            cwd=tmp_path,
            env=clean_environment(),
        )
        for i in range(6)
    ]
    assert [process.wait() for process in started] == [0] * 6
    counted = Counter(e["task"] for e in reads(tmp_path / "t", "/a/x"))
    assert counted == {f"task {i}": 50 for i in range(6)}


def test_steps_that_a_program_announces(tmp_path: Path) -> None:
    prepare(tmp_path)
    code = """
import os, h5py
f = h5py.File("data.h5", "r")
for step in ("first", "second", "first"):
    os.environ["QUARRY_TASK"] = step
    f["y"][0]
"""
    record_program(tmp_path, code, "whole")
    assert [e["task"] for e in reads(tmp_path / "t", "/y")] == ["first", "second", "first"]


@pytest.mark.parametrize("length", [0, 900, 5000])
def test_steps_announced_by_writing_over_the_variable(tmp_path: Path, length: int) -> None:
    prepare(tmp_path)
    code = f"""
import ctypes, h5py
f = h5py.File("data.h5", "r")
f["y"][0]
variable = ctypes.create_string_buffer(8192)
for step in ("first", "second"):
    variable.value = b"QUARRY_TASK=" + b"-" * {length} + step.encode()
    ctypes.CDLL(None).putenv(variable)
    f["y"][1]
    variable.value = variable.value + b" again"
    f["y"][2]
"""
    record_program(tmp_path, code, "whole" * 1000)
    before = "-" * length
    steps = [before + step for step in ("first", "first again", "second", "second again")]
    assert [e["task"] for e in reads(tmp_path / "t", "/y")] == ["whole" * 1000, *steps]


def test_steps_announced_in_python_and_in_c(tmp_path: Path) -> None:
    prepare(tmp_path)
    package = Path(__file__).parents[2] / "python"
    code = f"""
import sys; sys.path.insert(0, {str(package)!r})
import h5py, quarry
f = h5py.File("data.h5", "r")
f["y"][0]
with quarry.step("outer"):
    f["y"][1]
    with quarry.step("inner"): f["y"][2]
    f["y"][3]
f["y"][4]
"""
    record_program(tmp_path, code, "whole")
    steps = [(e["task"], e["selection"]["start"]) for e in reads(tmp_path / "t", "/y")]
    assert steps == [
        ("whole", [0]),
        ("outer", [1]),
        ("inner", [2]),
        ("outer", [3]),
        ("whole", [4]),
    ]
    program = Path(__file__).parents[2] / "build/bin/steps"
    subprocess.run([program.parent / "scattered_reads", "values.h5", "1"], cwd=tmp_path, check=True)
    record(tmp_path, program, "values.h5", trace="c")
    tasks = [e["task"] for e in reads(tmp_path / "c", "/values")]
    assert tasks == ["first", "second", f"{program} values.h5"]


@pytest.mark.parametrize("count", [70_000, pytest.param(5_000_000, marks=pytest.mark.slow)])
def test_any_number_of_ios(tmp_path: Path, count: int) -> None:
    program = Path(__file__).parents[2] / "build/bin/scattered_reads"
    done = record(tmp_path, program, "data.h5", count)
    elements = 1_000_000
    expected = [i * 7919 % elements for i in range(count)]
    assert int(done.stdout) == sum(expected)
    summary = json.loads(quarry("summary", "--json", tmp_path / "t").stdout)
    (row,) = (row for row in summary["usage"] if row.get("object") == "/values")
    assert row["reads"] == count
    assert row["bytes_selected_read"] == 8 * count
    assert row["unique_bytes"] >= 8 * min(count, elements)
    assert not summary["problems"] and summary["uncredited_bytes"] == 0
    # Each one, in its order.
    exported = subprocess.Popen([QUARRY, "export", tmp_path / "t"], stdout=subprocess.PIPE)
    places, addresses = iter(expected), iter(expected)
    data = None
    for line in exported.stdout:
        event = json.loads(line)
        if event["event"] == "read":
            assert event["selection"]["start"] == [next(places)]
        elif event["event"] == "io" and event["kind"] == "raw" and event["direction"] == "read":
            place = next(addresses)
            data = event["address"] - 8 * place if data is None else data
            assert (event["address"], event["size"]) == (data + 8 * place, 8)
    assert exported.wait() == 0
    assert next(places, None) is None and next(addresses, None) is None


def test_several_hosts_share_a_directory(tmp_path: Path) -> None:
    prepare(tmp_path)
    code = 'import h5py; f = h5py.File("data.h5", "r"); [f["a/x"][i] for i in range(20)]'
    for host in ("first", "second"):
        # A name space of its own for the name of the machine.
        entered = ["unshare", "--uts", "sh", "-c", f'hostname {host} && exec "$@"', "sh"]
        command = [QUARRY, "run", "--trace", tmp_path / "t", "--task", host, "--", sys.executable]
        done = subprocess.run(
            [*entered, *command, "-c", code],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if "Operation not permitted" in done.stderr:
            pytest.skip("no right to give a machine another name")
        assert done.returncode == 0, done.stderr
    facts = json.loads(quarry("ls", "--json", tmp_path / "t").stdout)
    assert sorted(process["host"] for process in facts["processes"]) == ["first", "second"]
    assert len(facts["files"]) == 1
    assert Counter(e["task"] for e in reads(tmp_path / "t", "/a/x")) == {"first": 20, "second": 20}


def test_a_trace_can_be_read_while_the_program_runs(tmp_path: Path) -> None:
    prepare(tmp_path)
    code = """
import h5py
f = h5py.File("data.h5", "r")
for i in range(30):
    f["a/x"][i]
    print(i, flush=True)
    input()
"""
    with subprocess.Popen(
        [QUARRY, "run", "--trace", tmp_path / "t", "--", sys.executable, "-c", code],
        cwd=tmp_path,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for i in range(30):
            assert process.stdout.readline() == f"{i}\n"
            assert len(reads(tmp_path / "t", "/a/x")) == i + 1
            process.stdin.write("\n")
            process.stdin.flush()
    assert process.returncode == 0


KILLED = """
import sys, h5py
f = h5py.File("data.h5", "r")
for number in range(10**9):
    f["a/x"][number % 80]
    sys.stdout.write(".")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("moments", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path, moments: int) -> None:
    prepare(tmp_path)
    draw = random.Random(os.environ["QUARRY_SEED"])
    for moment in range(moments):
        trace = tmp_path / f"t{moment}"
        process = subprocess.Popen(
            [QUARRY, "run", "--trace", trace, "--", sys.executable, "-c", KILLED],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.PIPE,
        )
        done = len(process.stdout.read(draw.randint(1, 3000)))
        # Whoever kills quarry kills the program.
        process.send_signal(signal.SIGKILL)
        done += len(process.stdout.read())
        process.wait()
        found = reads(trace, "/a/x")
        assert done <= len(found) <= done + 1
        assert [e["selection"]["start"][0] for e in found] == [i % 80 for i in range(len(found))]


def test_nothing_to_record_is_said(tmp_path: Path) -> None:
    done = quarry("run", "--trace", tmp_path / "t", "--", sys.executable, "-c", "pass")
    assert done.returncode == 0
    assert "nothing was recorded" in done.stderr


def test_a_limit_ends_the_trace_and_not_the_program(tmp_path: Path) -> None:
    prepare(tmp_path)
    code = """
import h5py
f = h5py.File("data.h5", "r")
for i in range(40000): f["y"][3]
print("done")
"""
    command = ["run", "--trace", "t", "--max-size", "2M", "--", sys.executable, "-c", code]
    done = quarry(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr.count("\n") == 1
    assert "is incomplete from here" in done.stderr
    assert "Incomplete: process" in quarry("summary", tmp_path / "t").stdout


def test_secrets_are_not_recorded(tmp_path: Path) -> None:
    prepare(tmp_path)
    code = 'import h5py; h5py.File("data.h5", "r")["y"][0]'
    words = ["--password", "sesame-one", "--token=sesame-two", "https://me:sesame-three@host/x"]
    secret = {"AWS_SECRET_ACCESS_KEY": "sesame-four"}
    record(tmp_path, sys.executable, "-c", code, *words, env=secret)
    recorded = b"".join(path.read_bytes() for path in (tmp_path / "t").iterdir())
    assert b"data.h5" in recorded
    assert b"sesame" not in recorded


@pytest.mark.parametrize("verb", ["ls", "summary", "export"])
def test_what_is_no_trace_is_refused(tmp_path: Path, verb: str) -> None:
    done = quarry(verb, tmp_path / "none")
    assert done.returncode == 125
    assert "cannot be read" in done.stderr
    (tmp_path / "empty").mkdir()
    assert "There is no trace in" in quarry(verb, tmp_path / "empty").stderr
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/a.qtrace").write_bytes(b"something else" * 1000)
    done = quarry(verb, tmp_path / "foreign")
    assert done.returncode == 125
    assert "is not a trace of Quarry" in done.stderr
