"""What a repeated run finds, and what counts as made by it."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from packing import entries_of

from cli import QUARRY, quarry, record


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A directory with an input."""
    folder = tmp_path / "work"
    folder.mkdir()
    with h5py.File(folder / "in.h5", "w") as f:
        f["used"] = np.arange(10)
    return folder


def run_script(work: Path, text: str, *words: object, **more) -> None:
    (work / "script.py").write_text(text)
    record(work, sys.executable, "script.py", *words, **more)


def packed(work: Path, *options: object) -> subprocess.CompletedProcess:
    done = quarry("pack", "t", "-o", work.parent / "app.tar.zst", "--json", *options, cwd=work)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def repeated(work: Path, *options: object, **more) -> tuple[dict, str]:
    done = quarry("unpack", "app.tar.zst", "--run", "--json", *options, cwd=work.parent, **more)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.stderr


def verdicts(answer: dict) -> dict[str, str]:
    return {Path(one["path"]).name: one["verdict"] for one in answer["outputs"]}


READS = "import h5py, os, sys\nx = h5py.File('in.h5')['used'][3]\n"


@pytest.mark.parametrize(
    ("rest", "makes"),
    [
        ("if not os.path.exists('o.txt'): open('o.txt', 'w').write(str(x))\n", True),
        ("with h5py.File('o.txt', 'a') as f: f.require_dataset('r', (), 'f8', data=x)\n", True),
        ("open('o.txt', 'a').write(str(x))\n", True),
        ("if os.environ.get('FIRST'): open('o.txt', 'w').write(str(x))\n", False),
        (
            """
if os.environ.get('FIRST'): open('o.txt', 'w').write(str(x))
elif os.path.exists('o.txt'): os.utime('o.txt')
""",
            False,
        ),
    ],
    ids=["missing only", "added to", "appended to", "not made", "touched only"],
)
def test_results_that_are_there_are_made_anew(rest: str, makes: bool, work: Path) -> None:
    run_script(work, READS + rest, env={"FIRST": "1"})
    packed(work)
    before, there = (work / "o.txt").read_bytes(), {path.name for path in work.iterdir()}
    number = (work / "o.txt").stat().st_ino
    answer, _ = repeated(work, "--overwrite")
    assert verdicts(answer) == {"o.txt": "same" if makes else "missing"}
    assert answer["same"] is makes
    assert {path.name for path in work.iterdir()} == there
    assert (work / "o.txt").read_bytes() == before
    assert ((work / "o.txt").stat().st_ino == number) is not makes


def test_what_the_run_added_to_is_there_when_it_is_repeated(work: Path) -> None:
    (work / "log.txt").write_text("before\n")
    run_script(work, READS + "open('log.txt', 'a').write('again\\n')\nopen('o.txt', 'w')\n")
    packed(work)
    answer, _ = repeated(work, "--overwrite")
    assert verdicts(answer) == {"log.txt": "not compared", "o.txt": "same"}
    assert (work / "log.txt").read_text() == "before\nagain\nagain\n"


ADDS = READS + "with open(sys.argv[1], 'a') as f: f.write(str(x))\n"
FORKS = """
import h5py, multiprocessing, os
def work(name):
    with h5py.File('in.h5') as f, open(name, 'a') as g:
        g.write(str(f['used'][3]))
os.mkdir('made')
with multiprocessing.get_context('fork').Pool(3) as pool:
    pool.map(work, [f'made/{i}' for i in range(6)], 1)
"""


@pytest.mark.parametrize(
    ("command", "made"),
    [
        (
            "bash -c '{python} adds.py a >> log; {python} adds.py b >> log; cat log > c; true'",
            {"a", "b", "c", "log"},
        ),
        ("sh go.sh", {"a", "b", "log"}),
        ("sh -c '. ./go.sh'", {"a", "b", "log"}),
        ("{python} forks.py", set("012345")),
    ],
    ids=["shell that opens nothing", "script with subshells", "sourced", "pool"],
)
def test_a_program_is_repeated_once_with_all_its_forks(
    command: str, made: set[str], work: Path
) -> None:
    (work / "adds.py").write_text(ADDS)
    (work / "forks.py").write_text(FORKS)
    # Between the script and these programs is a shell that opens nothing.
    lines = "sh -c '{python} adds.py a; {python} adds.py b'\n({python} adds.py a >> log) & wait\n"
    (work / "go.sh").write_text(lines.format(python=sys.executable))
    record(work, *shlex.split(command.format(python=sys.executable)))
    commands = json.loads(packed(work).stdout)["commands"]
    assert len([one for one in commands if one["top_level"]]) == 1
    work.rename(work.with_name("gone"))
    answer, _ = repeated(work)
    assert verdicts(answer) == dict.fromkeys(made, "same")
    assert answer["same"] is True


@pytest.mark.parametrize("name", ("script.py", "k.txt", "o.txt", "o.h5"))
def test_what_was_changed_right_after_the_run_is_not_of_the_run(name: str, work: Path) -> None:
    (work / "k.txt").write_text("5")
    writes = "open('o.txt', 'w').write(str(x) + open('k.txt').read())\n"
    run_script(work, READS + writes + "with h5py.File('o.h5', 'w') as f: f['x'] = x\n")
    at_once = json.loads(packed(work).stdout)
    assert not at_once["left_out"] and not any(one["problem"] for one in at_once["outputs"])
    os.utime(work / name, times=(time.time() + 1, time.time() + 1))
    later = json.loads(packed(work).stdout)
    assert {Path(one["path"]).name: one["why"] for one in later["left_out"]} | {
        Path(one["path"]).name: one["problem"] for one in later["outputs"] if one["problem"]
    } == {name: "it was changed after the run"}


@pytest.mark.parametrize("way", ("np.memmap('raw', 'u1')[2]", "open('raw', 'r+').read(3)[2]"))
def test_files_that_are_opened_for_writing_and_read_are_so_again(way: str, work: Path) -> None:
    (work / "raw").write_bytes(b"12345")
    run_script(work, READS + f"import numpy as np\nopen('o.txt', 'w').write(str({way}))\n")
    packed(work)
    work.rename(work.with_name("gone"))
    answer, said = repeated(work)
    assert verdicts(answer) == {"o.txt": "same"}, said


def test_what_is_not_recorded_is_not_packed(work: Path) -> None:
    record(work, sys.executable, "-c", READS, options=("--no-files",))
    done = quarry("pack", "t", "-o", "app.tar.zst", cwd=work)
    assert done.returncode == 125 and "--no-files" in done.stderr, done.stderr
    assert "app.tar.zst" not in {path.name for path in work.iterdir()}


def crate_of(work: Path) -> dict[str, dict]:
    content = {one.name: text for one, text in entries_of(work.parent / "app.tar.zst")}
    graph = json.loads(content["ro-crate-metadata.json"])["@graph"]
    entities = {one["@id"]: one for one in graph}
    assert len(entities) == len(graph)
    for one in graph:
        for name in ("hasPart", "object", "result"):
            named = [part["@id"] for part in one.get(name, [])]
            assert sorted(set(named)) == sorted(named)
            assert set(named) <= entities.keys()
    return entities


def test_a_crate_names_each_file_once(work: Path) -> None:
    """Though several have had one name, or one several."""
    rest = """
for i in range(2):
    if os.path.exists('o.h5'): os.rename('o.h5', 'old.h5')
    with h5py.File('o.h5', 'w') as f: f['x'] = x + i
os.remove('old.h5')
with h5py.File('new.h5', 'w') as f: f['x'] = x
os.rename('new.h5', 'renamed.h5')
h5py.File('renamed.h5')['x'][()]
"""
    run_script(work, READS + rest)
    packed(work)
    entities = crate_of(work)
    (action,) = (one for one in entities.values() if one["@type"] == "CreateAction")
    for name in ("o.h5", "renamed.h5"):
        assert {"@id": f"outputs{work}/{name}"} in action["result"]


def test_a_crate_tells_of_what_is_packed(work: Path) -> None:
    (work / "k.txt").write_text("2")
    for name in "ab":
        text = READS + f"open('{name}.txt', 'w').write(open('k.txt').read())\n"
        run_script(work, text, task=name)
    packed(work, "--task", "b")
    entities = crate_of(work)
    (action,) = (one for one in entities.values() if one["@type"] == "CreateAction")
    assert {"@id": f"programs{work}/k.txt"} in action["object"]
    assert f"file://{work}/a.txt" not in entities
    assert entities["./"]["description"].startswith("1 tasks and the 3 files")


def test_what_a_killed_run_has_left_is_not_written_to(work: Path) -> None:
    rest = "open('o.txt', 'w').write(str(x))\nif 'QUIT' in os.environ: os.kill(os.getppid(), 9)\n"
    run_script(work, READS + rest)
    packed(work)
    shutil.rmtree(work)
    words = ("unpack", "app.tar.zst", "-C", "killed", "--run")
    assert quarry(*words, cwd=work.parent, env={"QUIT": "1"}).returncode == -9
    if not os.listxattr(work):
        pytest.skip("needs a file system with attributes")
    answer, _ = repeated(work)
    (one,) = answer["outputs"]
    assert (one["verdict"], one["path"]) == ("same", f"{work.parent}/app/run{work}/o.txt")
    assert list(work.iterdir()) == []


def test_files_that_are_not_in_it_are_named_when_it_is_repeated(work: Path) -> None:
    (work / ".hidden").write_text("5")
    run_script(work, READS + "open('o.txt', 'w').write(open('.hidden').read())\n")
    packed(work)
    (work / "o.txt").unlink()
    answer, said = repeated(work)
    assert answer["same"] is True
    assert f"used as it is here: {work}/.hidden (it is hidden, and may be private)." in said


@pytest.mark.parametrize("before", (True, False))
def test_directories_are_there_if_the_run_has_found_them(before: bool, work: Path) -> None:
    """However shortly before it began, or after."""
    make = "mkdir out"
    if before:
        (work / "out").mkdir()
        make = "test -d out"
    (work / "script.py").write_text(READS + "open('out/o.txt', 'w').write(str(x))\n")
    record(work, "sh", "-c", f"{make} && cat script.py > copy && exec {sys.executable} script.py")
    packed(work)
    work.rename(work.with_name("gone"))
    answer, said = repeated(work)
    assert verdicts(answer) == {"copy": "same", "o.txt": "same"}, said


@pytest.mark.parametrize("is_there", (True, False))
def test_directories_that_links_lead_to(is_there: bool, work: Path) -> None:
    """Of an output some know the one path, and some the other."""
    scratch = work.parent / "scratch"
    scratch.mkdir()
    (work / "out").symlink_to("../scratch")
    (work / "data").symlink_to("out/../scratch")
    rest = """
open('out/o.txt', 'w').write(str(x))
with h5py.File('out/o.h5', 'w') as f, h5py.File('data/d.h5', 'w') as g: f['x'] = g['x'] = x
"""
    run_script(work, READS + rest)
    packed(work)
    shutil.rmtree(scratch)
    if is_there:
        (work / "out").unlink()
    else:
        shutil.rmtree(work)
    answer, said = repeated(work)
    assert verdicts(answer) == dict.fromkeys(("o.txt", "o.h5", "d.h5"), "same"), said


@pytest.mark.parametrize("shell", ("bash", "sh"))
def test_a_shell_that_becomes_its_last_program_is_repeated(shell: str, work: Path) -> None:
    (work / "script.py").write_text(READS + "open(sys.argv[1], 'w').write(str(x))\n")
    lines = f"{sys.executable} script.py a > log\nexec {sys.executable} script.py b\n"
    (work / "go").write_text(lines)
    record(work, shell, "./go")
    packed(work)
    work.rename(work.with_name("gone"))
    answer, _ = repeated(work)
    assert verdicts(answer) == {"a": "same", "b": "same", "log": "same"}


def test_an_interrupted_repetition_brings_earlier_results_back(work: Path) -> None:
    run_script(work, READS + "import time; time.sleep(1)\nopen('o.txt', 'w').write(str(x))\n")
    packed(work)
    (work / "o.txt").write_text("earlier")
    command = [QUARRY, "unpack", "../app.tar.zst", "-C", "un", "--run", "--overwrite"]
    with subprocess.Popen(
        command, cwd=work, start_new_session=True, stderr=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 60
        while (work / "o.txt").exists() and time.monotonic() < deadline:
            time.sleep(0.0005)
        os.killpg(process.pid, signal.SIGINT)
    assert (work / "o.txt").read_text() == "earlier"
    assert process.returncode != 0
