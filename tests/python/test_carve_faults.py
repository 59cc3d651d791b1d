"""Whatever happens to a carve, what was there before is there still, or all of what is new."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_world import NOBODY, as_user
from carving import carve, copy_of, make_rich, refuses, run, verify
from running import clean_environment

from cli import QUARRY, quarry

FILES = ("a", "b", "c", "d")
READ = """
import h5py, sys
for name in sys.argv[1:]:
    with h5py.File(f"{name}.h5") as f:
        f["used"][...]
"""


@pytest.fixture
def draw() -> random.Random:
    seed = random.Random(os.environ["QUARRY_SEED"] + " faults").randrange(10**9)
    print("seed", seed)
    return random.Random(seed)


@pytest.fixture
def inputs() -> Iterator[Path]:
    """A directory with several files, a trace of reading them, and carved files of an earlier time.

    Anybody may look into it, which is not so for those that pytest makes.
    """
    with tempfile.TemporaryDirectory(prefix="quarry-test-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        numbers = np.random.default_rng(1)
        for name in FILES:
            with h5py.File(folder / f"{name}.h5", "w") as f:
                f["used"] = numbers.random(50_000)
                f["sometimes"] = numbers.random(100_000)
                for number in range(100):
                    f[f"group/{number}"] = numbers.random(200)
        run(folder, READ, *FILES)
        carve(folder, "t", "--keep-below", "0")
        yield folder


ANOTHER = ("--keep", "/sometimes", "--keep-below", "0")


def state_of(folder: Path, small: Path) -> bool:
    """All files are there and as they should be; answers whether they are those with `ANOTHER`."""
    manifest = json.loads((small / "quarry-carved.json").read_text())
    assert [Path(one["original"]).stem for one in manifest["files"]] == [*FILES]
    lists = json.loads((small / "quarry-carved-datasets.json").read_text())["files"]
    datasets = {one["copy"]: one["datasets"] for one in lists}
    found = set()
    for one in manifest["files"]:
        copy = small / one["copy"]
        assert verify(Path(one["original"]), copy, "--trace", folder / "t")["same"]
        assert copy.stat().st_size == one["copy_size"]
        assert (small / "quarry-carved" / one["copy"]).exists()
        kept = {
            dataset["paths"][0] for dataset in datasets[one["copy"]] if dataset["what"] == "kept"
        }
        found.add(frozenset(kept))
        with h5py.File(copy) as f:
            for name in ("used", "sometimes"):
                assert len(f[name][...]) if f"/{name}" in kept else refuses(f[name])
    (kept,) = found
    assert kept in ({"/used"}, {"/used", "/sometimes"})
    return "/sometimes" in kept


def unfinished(folder: Path) -> list[Path]:
    return list(folder.glob(".quarry-unfinished-*"))


def start(folder: Path, *words: object) -> subprocess.Popen:
    return subprocess.Popen(
        [QUARRY, "carve", "-o", "small", "t", *words],
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def time_of_a_carve(folder: Path) -> float:
    begin = time.monotonic()
    done = quarry("carve", "-o", "aside", "t", *ANOTHER, cwd=folder)
    assert done.returncode == 0
    shutil.rmtree(folder / "aside")
    return time.monotonic() - begin


@pytest.mark.parametrize("whom", ["program", "group"])
def test_killed_at_any_moment(
    inputs: Path, draw: random.Random, whom: str, request: pytest.FixtureRequest
) -> None:
    took = time_of_a_carve(inputs)
    times = 25 if request.config.getoption("--slow") else 5
    is_another, seen = False, set()
    for _ in range(times):
        process = start(inputs, *(() if is_another else ANOTHER), "--keep-below", "0")
        time.sleep(draw.random() * took * 1.2)
        (os.killpg if whom == "group" else os.kill)(process.pid, signal.SIGKILL)
        process.communicate()
        was, is_another = is_another, state_of(inputs, inputs / "small")
        seen.add(is_another != was)
    print("was new:", seen)
    # What is left of those that were killed does not disturb, and goes with the next, later.
    for folder in unfinished(inputs):
        os.utime(folder, (1, 1))
    carve(inputs, "t", *ANOTHER)
    assert state_of(inputs, inputs / "small") and unfinished(inputs) == []


def test_interrupted_at_any_moment(inputs: Path, draw: random.Random) -> None:
    took = time_of_a_carve(inputs)
    said = []
    for _ in range(6):
        process = start(inputs, *ANOTHER)
        time.sleep(draw.random() * took)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        is_another = state_of(inputs, inputs / "small")
        said.append((process.returncode, errors))
        if process.returncode == 0:
            assert is_another, said
        if "nothing has been changed" in errors:
            assert process.returncode != 0 and not is_another, said
        assert "Traceback" not in errors and unfinished(inputs) == [], said
        carve(inputs, "t", "--keep-below", "0")


def stopped_in_the_midst(folder: Path, *words: object) -> subprocess.Popen:
    """Before it has put anything into its place."""
    process = start(folder, *words)
    while not unfinished(folder):
        assert process.poll() is None
    process.send_signal(signal.SIGSTOP)
    return process


@pytest.mark.parametrize("before", ("nothing", "carved files"))
def test_what_came_into_the_directory_meanwhile_stays(inputs: Path, before: str) -> None:
    small = inputs / "small"
    if before == "nothing":
        shutil.rmtree(small)
    process = stopped_in_the_midst(inputs, *ANOTHER)
    small.mkdir(exist_ok=True)
    (small / "results.txt").write_text("mine")
    process.send_signal(signal.SIGCONT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 125 and f"{small} " in errors and "left alone" in errors
    assert (small / "results.txt").read_text() == "mine" and unfinished(inputs) == []
    if before == "nothing":
        assert os.listdir(small) == ["results.txt"]
    else:
        assert not state_of(inputs, small)


def test_a_directory_that_came_into_use_meanwhile_is_not_replaced(inputs: Path) -> None:
    """Both carve into a directory that is not there; a program runs on what the first one has made."""
    shutil.rmtree(inputs / "small")
    process = stopped_in_the_midst(inputs, *ANOTHER)
    carve(inputs, "t", "--keep-below", "0")
    run_on_it = ["run", "--no-trace", "--carved", "small", "--", "sh", "-c", "echo in; read line"]
    with subprocess.Popen(
        [QUARRY, *run_on_it],
        cwd=inputs,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout.readline() == "in\n"
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=60)
        running.communicate("end\n")
    assert process.returncode == 125 and f"{inputs}/small is in use" in errors
    assert not state_of(inputs, inputs / "small") and unfinished(inputs) == []


IN_LITTLE_SPACE = """
mount -t tmpfs -o size="$1" tmpfs "$2" || exit 99
cd "$2/.."
if [ -d "$2.before" ]; then cp -a "$2.before" "$2/small"; fi
"$QUARRY" carve -o "$2/small" t --keep '*'
echo "exit code $?"
ls -A "$2"
if [ -d "$2/small" ]; then rm -rf "$2.after"; cp -a "$2/small" "$2.after"; fi
"""


@pytest.mark.parametrize(
    ("size", "before"),
    [
        ("100m,nr_inodes=3", "nothing"),
        ("100k", "nothing"),
        ("2m", "nothing"),
        ("4400k", "nothing"),
        ("2m", "carved files"),
        ("4400k", "carved files"),
    ],
)
def test_a_full_disk(inputs: Path, size: str, before: str, own_mounts: tuple[str, ...]) -> None:
    disk = inputs / "disk"
    disk.mkdir()
    if before == "nothing":
        shutil.rmtree(inputs / "small")
    else:
        (inputs / "small").rename(inputs / "disk.before")
    done = subprocess.run(
        [*own_mounts, "sh", "-c", IN_LITTLE_SPACE, "sh", size, disk],
        env=clean_environment() | {"QUARRY": str(QUARRY)},
        cwd=inputs,
        capture_output=True,
        text=True,
        check=False,
    )
    said, _, rest = done.stdout.partition("exit code ")
    code, *left = rest.split()
    assert code == "1" and "No space left" in said + done.stderr, done.stdout + done.stderr
    assert any(f"{inputs}/{name}.h5" in said for name in FILES)
    assert "File exists" not in said
    if before == "nothing":
        assert left == []
    else:
        assert left == ["small"] and not state_of(inputs, inputs / "disk.after")


def carve_as_nobody(folder: Path) -> subprocess.CompletedProcess:
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs to become somebody else")
    return subprocess.run(
        [*as_user(NOBODY), QUARRY, "carve", "-o", "small", "t", *ANOTHER],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_cannot_be_looked_through_is_not_replaced(inputs: Path) -> None:
    """Files of the user may be in it, or come after it."""
    (inputs / "small/locked").mkdir()
    (inputs / "small/locked/thesis.txt").write_text("years")
    for path in (inputs, inputs / "small", *(inputs / "small").rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    (inputs / "small/locked").chmod(0)
    done = carve_as_nobody(inputs)
    assert done.returncode == 125 and "holds locked" in done.stderr, done.stdout + done.stderr
    (inputs / "small/locked").chmod(0o755)
    assert (inputs / "small/locked/thesis.txt").read_text() == "years"


def test_an_input_that_may_not_be_read(inputs: Path) -> None:
    (inputs / "b.h5").chmod(0)
    inputs.chmod(0o777)
    done = carve_as_nobody(inputs)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"Not carved: {inputs}/b.h5: " in done.stdout
    assert "Permission denied" in done.stdout and "Nothing has been written" in done.stdout
    (inputs / "b.h5").chmod(0o644)
    assert not state_of(inputs, inputs / "small") and unfinished(inputs) == []


def test_a_directory_that_may_not_be_written_to(inputs: Path) -> None:
    done = carve_as_nobody(inputs)
    assert done.returncode == 125 and "Permission denied" in done.stderr, done.stderr
    assert f"{inputs}/small" in done.stderr
    assert not state_of(inputs, inputs / "small") and unfinished(inputs) == []


def test_an_input_that_is_damaged_is_copied_as_it_is(inputs: Path) -> None:
    """It could be opened, and a group of it not be read."""
    file = inputs / "b.h5"
    raw = file.read_bytes()
    places = [at for at in range(len(raw)) if raw.startswith(b"SNOD", at)]
    file.write_bytes(raw[: places[-1]] + b"GONE" + raw[places[-1] + 4 :])
    time.sleep(0.01)
    run(inputs, READ, *FILES, trace="damaged")
    done = quarry("carve", "-o", "small", "damaged", "--json", cwd=inputs)
    assert done.returncode == 0, done.stdout
    whole = {
        Path(one["original"]).stem: one["why_whole"] for one in json.loads(done.stdout)["files"]
    }
    assert whole["b"] and not whole["a"]
    assert copy_of(file).read_bytes() == file.read_bytes()


def test_ten_thousand_datasets(tmp_path: Path) -> None:
    file = tmp_path / "in.h5"
    with h5py.File(file, "w", libver="v110") as f:
        for number in range(10_000):
            f[f"g{number % 10}/d{number}"] = np.full(20, number)
    program = """
import h5py
f = h5py.File("in.h5")
print(sum(int(f[f"g{n % 10}/d{n}"][3]) for n in range(0, 10000, 3)))
"""
    before = run(tmp_path, program).stdout
    (fate,) = carve(tmp_path, "t", "--keep-below", "0")["files"]
    assert sum(one["kept"] for one in fate["datasets"]) == 3334 and len(fate["datasets"]) == 10_000
    found = verify(file, copy_of(file), "--trace", tmp_path / "t")
    assert found["same"] and found["hollow"] == 6666
    file.unlink()
    again = quarry(
        *("run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", program),
        cwd=tmp_path,
    )
    assert again.stdout == before, again.stderr
    with h5py.File(copy_of(file)) as f:
        assert len(f["g3"]) == 1000 and f["g3/d3"][0] == 3 and refuses(f["g4/d4"])


@pytest.mark.parametrize("name", ["new/", "small/", "empty/"])
def test_a_directory_may_be_given_with_a_slash(name: str, inputs: Path) -> None:
    (inputs / "empty").mkdir()
    done = quarry("carve", "-o", name, "t", *ANOTHER, cwd=inputs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert state_of(inputs, inputs / name) and unfinished(inputs) == []


def test_a_link_to_a_directory_stays_one(inputs: Path) -> None:
    (inputs / "far").mkdir()
    (inputs / "small").rename(inputs / "far/small")
    (inputs / "small").symlink_to("far/small")
    done = quarry("carve", "-o", "small", "t", *ANOTHER, cwd=inputs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (inputs / "small").is_symlink() and state_of(inputs, inputs / "far/small")


def test_an_empty_name_for_the_directory(inputs: Path) -> None:
    done = quarry("carve", "-o", "", "t", cwd=inputs)
    assert done.returncode == 125 and "An empty path was given" in done.stderr
    assert not state_of(inputs, inputs / "small")


def test_a_working_directory_that_is_gone(inputs: Path) -> None:
    gone = inputs / "gone"
    gone.mkdir()
    command = f"rmdir {gone} && {QUARRY} carve -o x {inputs}/t"
    done = subprocess.run(
        ["sh", "-c", command], cwd=gone, capture_output=True, text=True, check=False
    )
    assert done.returncode == 125, done.stderr
    assert "the working directory cannot be told: No such file or directory" in done.stderr


def test_only_what_was_left_out_is_listed(inputs: Path) -> None:
    done = quarry("explain", "small", "--left-out", "--json", cwd=inputs)
    for file in json.loads(done.stdout)["files"]:
        assert {one["what"] for one in file["datasets"]} == {"hollow"}


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    make_rich(tmp_path)
    run(tmp_path, "import h5py; h5py.File('in.h5')['mu'][0]")
    carve(tmp_path, "t")
    os.mkfifo(tmp_path / "t/pipe.qtrace")
    done = quarry("carve", "t", "-o", "other", cwd=tmp_path, timeout=20)
    assert "pipe.qtrace is not a trace of Quarry" in done.stderr + done.stdout
    (tmp_path / "t/pipe.qtrace").unlink()
    for name in ("quarry-carved.json", "quarry-carved-datasets.json"):
        (tmp_path / "small" / name).unlink()
        os.mkfifo(tmp_path / "small" / name)
        done = quarry("explain", "small", cwd=tmp_path, timeout=20)
        assert done.returncode == 125 and f"small/{name} is not a regular file" in done.stderr
        shutil.rmtree(tmp_path / "small")
        carve(tmp_path, "t")
