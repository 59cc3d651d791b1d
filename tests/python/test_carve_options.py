"""What can be asked of `quarry carve` besides which datasets: sizes, tasks, processes, files; and what it says of them."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import carve, copy_of, refuses, run

from cli import QUARRY, quarry, record

SIZES = {"one below": 65535, "just": 65536, "large": 100_000, "tiny": 999}


@pytest.fixture
def sized(tmp_path: Path) -> Path:
    """Of each size a dataset that nobody reads, and one of which a chunk is read."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        for name, size in SIZES.items():
            for group, settings in (("unread", {}), ("read", {"chunks": (min(size, 500),)})):
                f.create_dataset(f"{group}/{name}", data=np.ones(size, "u1"), **settings)
    run(tmp_path, "import h5py; f = h5py.File('in.h5')['read']; print([f[n][0] for n in f])")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "small"),
    [
        ((), {"tiny", "one below"}),
        (("--keep-below", "64K"), {"tiny", "one below"}),
        (("--keep-below", "65537"), {"tiny", "one below", "just"}),
        (("--keep-below", "1K"), {"tiny"}),
        (("--keep-below", "1M"), set(SIZES)),
        (("--keep-below", "0"), set()),
    ],
)
def test_what_is_small_is_kept_whole(sized: Path, words: tuple, small: set[str]) -> None:
    [fate] = carve(sized, "t", *words)["files"]
    fates = {one["paths"][0]: one for one in fate["datasets"]}
    with h5py.File(copy_of(sized / "in.h5")) as f:
        for name in SIZES:
            assert fates[f"/read/{name}"]["kept"], "as somebody has read it"
            unread = fates[f"/unread/{name}"]
            assert unread["kept"] == (name in small)
            assert unread["why"] == ("it is small" if name in small else "nobody read it")
            assert f["unread"][name][-1] == 1 if name in small else refuses(f["unread"][name])


def stored(size: int) -> int:
    """In chunks of 500 bytes, the last of which is whole, too."""
    return (size + 499) // 500 * 500


@pytest.mark.parametrize("below", [0, 1001, 65_537, 1_000_000])
def test_what_is_small_is_kept_with_all_its_chunks(sized: Path, below: int) -> None:
    words = ("--granularity", "chunk", "--keep-below", below)
    [fate] = carve(sized, "t", *words)["files"]
    fates = {one["paths"][0]: one for one in fate["datasets"]}
    for name, size in SIZES.items():
        one = fates[f"/read/{name}"]
        assert one["bytes"] == stored(size)
        assert one["what"] == ("kept" if stored(size) < below else "partly")
        assert one["kept_bytes"] == (stored(size) if stored(size) < below else 500)
        assert fates[f"/unread/{name}"]["kept"] == (size < below)


def test_only_what_some_tasks_used(tmp_path: Path) -> None:
    for name in ("in", "other"):
        with h5py.File(tmp_path / f"{name}.h5", "w") as f:
            f["a"], f["b"], f["c"] = np.ones((3, 20_000))
    for task, read in (("one", "in.h5 a"), ("two", "in.h5 b"), ("three", "other.h5 c")):
        program = "import h5py, sys; print(h5py.File(sys.argv[1])[sys.argv[2]][0])"
        record(tmp_path, sys.executable, "-c", program, *read.split(), task=task)

    def kept(*tasks: str) -> dict[str, set[str]]:
        words = [word for task in tasks for word in ("--task", task)]
        return {
            Path(file["original"]).name: {d["paths"][0] for d in file["datasets"] if d["kept"]}
            for file in carve(tmp_path, "t", *words)["files"]
        }

    assert kept("one") == {"in.h5": {"/a"}}
    assert kept("one", "two") == {"in.h5": {"/a", "/b"}}
    assert kept("three") == {"other.h5": {"/c"}}
    assert kept() == {"in.h5": {"/a", "/b"}, "other.h5": {"/c"}}
    done = quarry("carve", "t", "-o", "small", "--task", "four", cwd=tmp_path)
    assert done.returncode == 125
    assert "There is no task four in t. `quarry ls`" in done.stderr


def test_a_task_that_only_one_of_the_traces_has(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["a"], f["b"] = np.ones((2, 20_000))
    for task, read in (("one", "a"), ("two", "b")):
        program = f"import h5py; h5py.File('in.h5')['{read}'][0]"
        record(tmp_path, sys.executable, "-c", program, task=task, trace=task)
    (fate,) = carve(tmp_path, "one", "two", "--task", "two")["files"]
    assert [one["paths"] for one in fate["datasets"] if one["kept"]] == [["/b"]]
    done = quarry("carve", "one", "two", "-o", "small", "--task", "four", cwd=tmp_path)
    assert done.returncode == 125 and "There is no task four in one, two." in done.stderr


def test_forked_children_work_for_the_step_that_runs(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["a"], f["b"], f["c"], f["d"] = np.ones((4, 20_000))
    program = """
import h5py, multiprocessing, os
def read(name): h5py.File("in.h5")[name][0]
def read_in_child(name):
    with multiprocessing.get_context("fork").Pool(1) as pool: pool.map(read, [name])
os.environ["QUARRY_TASK"] = "prepare"
read("a")
os.environ["QUARRY_TASK"] = "analyse"
read("b")
read_in_child("c")
os.environ["QUARRY_TASK"] = "end"
read_in_child("d")
"""
    run(tmp_path, program)
    for task, names in (("prepare", "a"), ("analyse", "bc"), ("end", "d")):
        [fate] = carve(tmp_path, "t", "--task", task)["files"]
        kept = {one["paths"][0] for one in fate["datasets"] if one["kept"]}
        assert kept == {f"/{name}" for name in names}, task


def workers_of(process: subprocess.Popen) -> int:
    """How many children of it are at work now."""
    count = 0
    with suppress(OSError):
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
            count += state != "Z"
    return count


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(6):
        with h5py.File(tmp_path / f"in{number}.h5", "w") as f:
            f["used"] = np.random.default_rng(number).random(2_000_000)
    run(tmp_path, "import h5py; print([h5py.File(f'in{n}.h5')['used'][0] for n in range(6)])")
    return tmp_path


@pytest.mark.parametrize("jobs", [1, 3])
def test_so_many_files_at_once(many: Path, jobs: int) -> None:
    words = ["carve", "t", "-o", "small", "--jobs", str(jobs)]
    most = 0
    with subprocess.Popen([QUARRY, *words], cwd=many, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, workers_of(process))
    assert process.returncode == 0 and most == jobs
    for number in range(6):
        with h5py.File(copy_of(many / f"in{number}.h5")) as f:
            assert f["used"][-1] == np.random.default_rng(number).random(2_000_000)[-1]


@pytest.mark.parametrize("jobs", ["0", "-1", "1025", "few"])
def test_numbers_of_processes_that_are_none(many: Path, jobs: str) -> None:
    done = quarry("carve", "t", "-o", "small", "--jobs", jobs, cwd=many)
    assert done.returncode == 2 and "--jobs" in done.stderr
    assert not (many / "small").exists()


def test_no_table_where_nothing_is_carved(sized: Path) -> None:
    done = quarry("carve", "t", "-o", "small", cwd=sized)
    assert done.returncode == 0 and done.stdout.startswith("file ")
    (sized / "in.h5").unlink()
    done = quarry("carve", "t", "-o", "small", cwd=sized)
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "Not carved",
        "Nothing has been written.",
    ]


def test_inputs_that_could_be_carved_are_counted(sized: Path) -> None:
    for name in ("b.h5", "c.h5", "d.h5"):
        (sized / name).write_bytes((sized / "in.h5").read_bytes())
    run(
        sized, "import h5py; [h5py.File(n + '.h5')['read/large'][0] for n in ('in', 'b', 'c', 'd')]"
    )
    (sized / "b.h5").unlink()
    done = quarry("carve", "t", "-o", "small", cwd=sized)
    assert done.returncode == 1
    assert "b.h5: it cannot be found: No such file or directory. Put it back" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last == (
        "Nothing has been written. The other 3 inputs could be carved: --file chooses them."
    )
    done = quarry("carve", "t", "-o", "small", "--file", "[cd].h5", cwd=sized)
    assert done.returncode == 0, done.stderr
    (sized / "c.h5").unlink()
    (sized / "in.h5").unlink()
    done = quarry("carve", "t", "-o", "small", cwd=sized)
    assert "The other input could be carved: --file chooses it" in done.stdout.splitlines()[-1]
    (sized / "d.h5").unlink()
    done = quarry("carve", "t", "-o", "small", cwd=sized)
    assert done.stdout.splitlines()[-1] == "Nothing has been written."


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        ("in.h5", {"in.h5"}),
        ("[i]*.h5", {"in.h5"}),
        ("data/*.h5", {"other.h5"}),
        ("dat?/*", {"other.h5"}),
        ("{}/data/*", {"other.h5"}),
        ("*.h5", {"in.h5", "other.h5"}),
        ("ther.h5", set()),
        ("?ther.h5", {"other.h5"}),
        ("ata/*", set()),
    ],
)
def test_patterns_of_files(sized: Path, pattern: str, chosen: set[str]) -> None:
    (sized / "data").mkdir()
    (sized / "data/other.h5").write_bytes((sized / "in.h5").read_bytes())
    run(sized, "import h5py; h5py.File('data/other.h5')['read/large'][0]")
    words = ("t", "-o", "small", "--dry-run", "--json", "--file", pattern.format(sized))
    done = quarry("carve", *words, cwd=sized)
    if not chosen:
        assert done.returncode == 125 and "None of the inputs matches --file" in done.stderr
        return
    files = json.loads(done.stdout)["files"]
    assert {Path(file["original"]).name for file in files} == chosen


@pytest.mark.parametrize("size", ["1.5M", "abc", "", "-1", "64Q", "99999999999999999999K"])
def test_sizes_that_are_none(sized: Path, size: str) -> None:
    done = quarry("carve", "t", "-o", "small", "--keep-below", size, cwd=sized)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert f"--keep-below: `{size}` is no size, which is a whole number of bytes" in done.stderr


def test_names_of_files_in_memory_are_nobodys(sized: Path) -> None:
    """HDF5 looks for files of the same name in the working directory."""
    others = [sized / name for name in ("rehearsal", "none")]
    for other in others:
        other.write_bytes(b"of somebody else")
    [planned] = carve(sized, "t", "--dry-run")["files"]
    assert planned["datasets"] and not planned["why_whole"]
    assert all(other.exists() for other in others)


@pytest.mark.parametrize("verb", ("carve", "pack"))
def test_patterns_that_match_nothing_are_told(sized: Path, verb: str) -> None:
    words = [verb, "-o", "out", "t", "--dry-run", "--keep", "/nowhere", "--drop", "*"]
    told = quarry(*words, cwd=sized).stderr
    assert "no dataset matches /nowhere" in told and "matches *" not in told


def test_of_patterns_nothing_is_told_where_a_file_is_not_taken_apart(sized: Path) -> None:
    run(sized, "import h5py; h5py.File('in.h5'); open('in.h5', 'rb').read()")
    done = quarry("carve", "-o", "small", "t", "--keep", "/nowhere", cwd=sized)
    assert "Copied whole" in done.stdout
    assert "no dataset matches" not in done.stderr
