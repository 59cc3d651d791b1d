"""An archive holds what was run and says what it does not hold; nothing is written over or waited for."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_world import NOBODY, as_user
from packing import (
    entries_of,
    entry,
    make_run,
    refused,
    replace_manifest,
    rewritten,
    unpack,
    write_archive,
)
from running import clean_environment

from cli import QUARRY, compile_c, quarry, record


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make_run(tmp_path / "work")


def make_folder(folder: Path) -> Path:
    folder.mkdir()
    with h5py.File(folder / "in.h5", "w") as f:
        f["used"] = np.arange(5000)
    return folder


def packed(folder: Path) -> Path:
    archive = folder.parent / "app.tar.zst"
    done = quarry("pack", "t", "-o", archive, cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return archive


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


def test_an_archive_that_a_link_leads_to_is_replaced(archive: Path) -> None:
    before = archive.read_bytes()
    archive.write_bytes(before + b"old")
    link = archive.with_name("latest")
    link.symlink_to(archive.name)
    done = quarry("pack", "t", "-o", link, cwd=archive.parent / "work")
    assert done.returncode == 0, done.stderr
    assert link.is_symlink() and not archive.is_symlink()
    assert len(archive.read_bytes()) == len(before)


def test_a_signal_when_the_archive_is_there_leaves_nothing_behind(tmp_path: Path) -> None:
    work = tmp_path / "work"
    make_run(work)
    (work / "many").mkdir()
    for number in range(500):
        (work / f"many/{number}").write_text("x")
    reads = "import os; [open('many/' + name).read() for name in os.listdir('many')]"
    record(work, sys.executable, "-c", reads)
    (tmp_path / "app.tar.zst").unlink()
    words = [str(QUARRY), "pack", "t", "-o", "../app.tar.zst"]
    with subprocess.Popen(words, cwd=work, stdout=subprocess.DEVNULL) as packing:
        while packing.poll() is None and not (tmp_path / "app.tar.zst").exists():
            pass
        packing.terminate()
    assert {path.name for path in tmp_path.iterdir()} == {"work", "app.tar.zst"}


@pytest.mark.parametrize("name", ("script.py", "helping.py"))
def test_programs_that_changed_after_the_run_are_left_out(name: str, archive: Path) -> None:
    changed = archive.parent / "work" / name
    os.utime(changed, (2e9, 2e9))
    why = "it was changed after the run"
    assert f"Not in it: {changed} ({why}).\n" in pack_again(archive).stdout
    pack = json.loads(entries_of(archive)[0][1])
    assert pack["left_out"] == [{"path": str(changed), "why": why}]
    assert len(pack["programs"]) == 1


def test_arguments_need_not_be_utf8(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with h5py.File(work / "in.h5", "w") as f:
        f["used"] = np.arange(5000.0)
    program = (
        "import h5py, os, sys; h5py.File('in.h5')['used'][0];"
        "open('out.txt', 'wb').write(os.fsencode(sys.argv[1]))"
    )
    record(work, sys.executable, "-c", program, os.fsdecode(b"caf\xe9"))
    archive = tmp_path / "app.tar.zst"
    assert quarry("pack", "t", "-o", archive, cwd=work).returncode == 0
    (work / "out.txt").unlink()
    done = quarry("unpack", archive, "--run", cwd=tmp_path, errors="replace")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (work / "out.txt").read_bytes() == b"caf\xe9"


def most_memory(*words: object) -> int:
    """That a run of the program took, in bytes, whatever came of it."""
    # Started by a process of its own: what this one has taken before would count, too.
    start = (
        "import os, sys; child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ);"
        "print(os.wait4(child, 0)[2].ru_maxrss)"
    )
    command = [sys.executable, "-c", start, QUARRY, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.splitlines()[-1]) * 1024


@pytest.mark.parametrize("many", (b"[],", b'{"":0},', b'"",'), ids=("lists", "objects", "texts"))
def test_a_short_manifest_does_not_take_much_memory(many: bytes, archive: Path) -> None:
    replace_manifest(archive, b'{"format":1,"x":[' + many * 9_000_000 + b"0]}")
    assert archive.stat().st_size < 200_000
    refused(archive, "pack.json")
    assert most_memory("unpack", archive, "-C", archive.parent / "new") < 700_000_000


def test_many_files_are_packed(archive: Path) -> None:
    """Their list is taken, however long it may be."""

    def add(pack: dict) -> None:
        one = {"size": 0, "sha256": pack["files"][0]["sha256"], "program": False}
        more = [one | {"path": f"carved/{'x' * 60}/{number}"} for number in range(100_000)]
        pack["files"].extend(more)

    rewritten(archive, add)
    refused(archive, "is missing")


def test_what_is_copied_whole_is_told(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import h5py; h5py.File('in.h5')['used'][0]; open('in.h5', 'rb').read()"
    )
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = f["unread"] = np.arange(5000.0)
    record(tmp_path, sys.executable, "script.py")
    done = quarry("pack", "t", "-o", "app.tar.zst", cwd=tmp_path)
    assert f"Copied whole: {tmp_path}/in.h5: " in done.stdout
    done = quarry("pack", "t", "-o", "app.tar.zst", "--json", cwd=tmp_path)
    assert "read without HDF5" in json.loads(done.stdout)["inputs"][0]["why_whole"]


def test_pipes_are_not_waited_for(archive: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = quarry("pack", "t", "-o", pipe, cwd=tmp_path / "work", timeout=20)
    assert done.returncode == 125 and f"{pipe} is there" in done.stderr
    done = quarry("unpack", pipe, cwd=tmp_path, timeout=20)
    assert done.returncode == 125 and "pipe is no ordinary file" in done.stderr


IN_USR = """
set -e
mount -t tmpfs none /usr/src
mkdir /usr/src/app
cp "$2"/* /usr/src/app
cd /usr/src/app
"$0" run --trace t -- "$1" main.py
"$0" pack t -o "$2/app.tar.zst" --json
"""


def test_a_run_below_usr(tmp_path: Path, own_mounts: tuple[str, ...]) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = np.arange(5000.0)
    (tmp_path / "settings.txt").write_text("3")
    (tmp_path / "helping.py").write_text("more = 5")
    (tmp_path / "main.py").write_text(
        "import h5py, helping; h5py.File('in.h5')['used'][int(open('settings.txt').read())]"
    )
    inside = [*own_mounts, "sh", "-c", IN_USR, QUARRY, sys.executable, tmp_path]
    done = subprocess.run(
        inside, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    names = ("helping.py", "main.py", "settings.txt")
    assert json.loads(done.stdout)["programs"] == [f"/usr/src/app/{name}" for name in names]


TWICE = {
    "shell": '#!/bin/sh\nread value < "$1"\necho $((2 * value)) > "$2"\n',
    "C": """
#include <stdio.h>
int main(int count, char **words) {
    int value = 0;
    FILE *in = fopen(words[1], "r"), *out = fopen(words[2], "w");
    fscanf(in, "%d", &value);
    fprintf(out, "%d\\n", 2 * value);
    return fclose(in) || fclose(out) || count != 3;
}
""",
}


@pytest.mark.parametrize("kind", TWICE)
def test_programs_may_be_executed_again(kind: str, tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    program = work / "twice"
    program.write_text(TWICE[kind])
    program.chmod(0o755)
    if kind == "C":
        compile_c("-w", "-x", "c", "-o", program, program.rename(work / "twice.c"))
    first = "import h5py; print(h5py.File('in.h5')['used'][7], file=open('value.txt', 'w'))"
    (work / "all.sh").write_text(f'set -e\n"$1" -c "{first}"\n./twice value.txt out.txt\n')
    record(work, "sh", "all.sh", sys.executable)
    archive = packed(work)
    shutil.rmtree(work)
    work.mkdir()
    done = unpack(archive, "--run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (work / "out.txt").read_text() == "14\n"


def test_programs_are_not_put_elsewhere(archive: Path, tmp_path: Path) -> None:
    original = f"{tmp_path}/work/../outside"
    rewritten(archive, lambda pack: pack["programs"][0].update(original=original))
    refused(archive, "pack.json is damaged", original)


def add_file(archive: Path, path: str, content: bytes) -> None:
    about = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    rewritten(archive, lambda pack: pack["files"].append({"path": path, "program": False} | about))
    write_archive(archive, [*entries_of(archive), entry(path, content)])


def test_notes_of_running_are_not_for_an_archive(archive: Path, tmp_path: Path) -> None:
    """By them the next run would take away what they name."""
    mine = tmp_path / "mine"
    mine.touch(mode=0)
    add_file(archive, "carved/.placeholders", f"{mine}\0".encode())
    refused(archive, "carved/.placeholders is not for an archive")
    assert mine.exists()


def test_nothing_is_where_the_run_makes_its_files(archive: Path, tmp_path: Path) -> None:
    """It would be taken for what the run has made."""
    path = f"run{tmp_path}/work/done.txt"
    add_file(archive, path, b"done\n")
    refused(archive, f"{path} is not for an archive")


RENAMED = {
    "os.rename": """
import h5py, os
with h5py.File("in.h5") as f, h5py.File("res.h5.tmp", "w") as g:
    g["twice"] = 2 * f["used"][...]
os.rename("res.h5.tmp", "res.h5")
open("log.txt", "w").write("done")
""",
    "mv": """
import subprocess
import h5py
with h5py.File("in.h5") as f, h5py.File("res.h5.tmp", "w") as g:
    g["twice"] = 2 * f["used"][...]
subprocess.run("mv res.h5.tmp res.h5; cp res.h5 copy.h5", shell=True, check=True)
h5py.File("res.h5")["twice"][5], h5py.File("copy.h5")["twice"][5]
""",
}


@pytest.mark.parametrize("way", RENAMED)
def test_what_was_made_under_another_name(way: str, tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    (work / "script.py").write_text(RENAMED[way])
    record(work, sys.executable, "script.py")
    archive = tmp_path / "app.tar.zst"
    told = json.loads(quarry("pack", "t", "-o", archive, "--json", cwd=work).stdout)
    assert [Path(one["original"]).name for one in told["inputs"]] == ["in.h5"]
    assert told["programs"] == [f"{work}/script.py"] and told["left_out"] == []
    outputs = {Path(one["path"]).name: one for one in told["outputs"]}
    assert outputs["res.h5"]["sha256"] and outputs["res.h5"]["copied"]
    crate = json.loads(entries_of(archive)[-1][1])
    ids = {one["@id"] for one in crate["@graph"]}
    assert f"outputs{work}/res.h5" in ids and f"file://{work}/res.h5.tmp" not in ids
    assert outputs["res.h5.tmp"]["problem"] == f"it has another name by now: {work}/res.h5"
    made = {name for name in outputs if not name.endswith(".tmp")}
    for name in made - {"res.h5"}:
        (work / name).unlink()
    for name in ("res.h5", "res.h5.tmp"):
        (work / name).write_text("mine")
        done = unpack(archive, "--run")
        assert done.returncode == 125 and f"{work}/{name} is there" in done.stderr
        assert (work / name).read_text() == "mine"
        (work / name).unlink()
    done = unpack(archive, "--run", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = {Path(o["path"]).name: o["verdict"] for o in json.loads(done.stdout)["outputs"]}
    assert verdicts == dict.fromkeys(made, "same") | {"res.h5.tmp": "not compared"}


def test_another_file_is_not_taken_for_one_that_is_gone(tmp_path: Path) -> None:
    """Though it may have been given the number of that."""
    program = (
        "import h5py, os; x = h5py.File('in.h5')['used'][0]; h5py.File('out.h5', 'w')['x'] = x;"
        "os.remove('out.h5'); open('out.h5', 'w').write('1'); open('tmp', 'w'); os.remove('tmp')"
    )
    work = make_folder(tmp_path / "work")
    record(work, sys.executable, "-c", program)
    for number in range(10):
        (work / f"{number}.txt").write_text("mine")
    done = quarry("pack", "t", "-o", "app.tar.zst", "--json", cwd=work)
    outputs = {one["path"]: one["problem"] for one in json.loads(done.stdout)["outputs"]}
    assert outputs == {f"{work}/out.h5": "", f"{work}/tmp": "it is gone"}


def test_nothing_compared_is_not_the_same(tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    program = "import h5py; h5py.File('in.h5')['used'][0]; open('out.txt', 'w').write('1')"
    record(work, sys.executable, "-c", program)
    (work / "out.txt").unlink()
    archive = packed(work)
    done = unpack(archive, "--run", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1, done.stdout
    assert (told["same"], told["compared"], len(told["outputs"])) == (None, 0, 1)
    shutil.rmtree(tmp_path / "new")
    (work / "out.txt").unlink()
    done = unpack(archive, "--run")
    assert done.returncode == 1 and "None of them could be compared" in done.stdout


@pytest.mark.parametrize(("end", "same"), ((0, None), (3, False)))
def test_a_run_that_makes_no_files(tmp_path: Path, end: int, same: bool | None) -> None:
    work = make_folder(tmp_path / "work")
    program = f"import h5py, sys; h5py.File('in.h5')['used'][0]; sys.exit({end})"
    quarry("run", "--trace", "t", "--", sys.executable, "-c", program, cwd=work)
    done = unpack(packed(work), "--run", "--json")
    told = json.loads(done.stdout)
    assert (told["same"], told["compared"], told["outputs"]) == (same, 0, [])
    assert done.returncode == (0 if end == 0 else 1), done.stderr


@pytest.mark.parametrize("way", ("in its place", "renamed"))
def test_what_was_read_and_written_over_was_there_before(way: str, tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    (work / "state.txt").write_text("5")
    name = "state.txt" if way == "in its place" else "state.tmp"
    (work / "script.py").write_text(
        "import h5py, os\n"
        "number = int(open('state.txt').read())\n"
        "open('out.txt', 'w').write(str(h5py.File('in.h5')['used'][number]))\n"
        f"open('{name}', 'w').write(str(number + 1))\n"
        f"os.rename('{name}', 'state.txt')\n"
    )
    record(work, sys.executable, "script.py")
    archive = tmp_path / "app.tar.zst"
    done = quarry("pack", "t", "-o", archive, cwd=work)
    why = "the run has read it and written over it"
    assert f"Not in it: {work}/state.txt ({why}).\n" in done.stdout
    assert f"{work}/state.txt: it was there before the run.\n" in done.stdout
    (work / "out.txt").unlink()
    done = unpack(archive, "--run")
    assert done.returncode == 125 and f"{work}/state.txt is there" in done.stderr
    assert (work / "state.txt").read_text() == "6"


def test_what_the_run_was_given_to_print_to_is_no_output(tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    program = "import h5py; print(h5py.File('in.h5')['used'][0]); open('out.txt', 'w').write('1')"
    with (work / "job.out").open("w") as out:
        words = (sys.executable, "-c", program)
        quarry("run", "--trace", "t", "--", *words, cwd=work, capture_output=False, stdout=out)
    assert (work / "job.out").read_text() == "0\n"
    archive = packed(work)
    (output,) = json.loads(entries_of(archive)[0][1])["outputs"]
    assert Path(output["path"]).name == "out.txt"
    (work / "out.txt").unlink()
    done = unpack(archive, "--run")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_shell_lets_its_programs_print_to_is_an_output(tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    (work / "log.txt").write_text("mine\n")
    program = "import h5py; print(h5py.File('in.h5')['used'][0])"
    script = f'"$0" -c "{program}" > out.txt; "$0" -c "{program}" >> log.txt'
    record(work, "sh", "-c", script, sys.executable)
    outputs = json.loads(entries_of(packed(work))[0][1])["outputs"]
    assert {Path(one["path"]).name: one["problem"] for one in outputs} == {
        "out.txt": "",
        "log.txt": "it was there before the run",
    }


@pytest.mark.parametrize("place", ("mine", "mine/a/b", "folder", "folder/", ""))
def test_a_dry_run_looks_at_the_destination(place: str, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "work/mine").write_text("mine")
    (tmp_path / "work/folder").mkdir()
    words = ("pack", "t", "-o", place)
    planned, done = (quarry(*words, *more, cwd=tmp_path / "work") for more in (["--dry-run"], []))
    assert planned.returncode == 125 and planned.stdout == ""
    assert (planned.returncode, planned.stderr) == (done.returncode, done.stderr)
    words = ("pack", "t", "-o", "not/there/yet", "--dry-run")
    assert quarry(*words, cwd=tmp_path / "work").returncode == 0
    assert not (tmp_path / "work/not").exists()


@pytest.fixture
def open_work() -> Iterator[Path]:
    """Where a run was packed. Anybody may look into it, which is not so for those of pytest."""
    with tempfile.TemporaryDirectory(prefix="quarry-test-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        make_run(folder / "work")
        yield folder / "work"


def packed_by_nobody(folder: Path, *more: str) -> subprocess.CompletedProcess:
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs to become somebody else")
    return subprocess.run(
        [*as_user(NOBODY), QUARRY, "pack", "t", *more],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_dry_run_looks_whether_it_may_write(open_work: Path) -> None:
    for place in ("a.tar.zst", "not/there/yet"):
        planned = packed_by_nobody(open_work, "-o", place, "--dry-run")
        done = packed_by_nobody(open_work, "-o", place)
        assert done.returncode == 125 and "Permission denied" in done.stderr
        assert (planned.returncode, planned.stderr) == (125, done.stderr)


@pytest.mark.parametrize("more", ((), ("--dry-run",)), ids=("packed", "planned"))
def test_what_may_not_be_read(more: tuple[str, ...], open_work: Path) -> None:
    open_work.chmod(0o777)
    for name in ("script.py", "out.h5", "done.txt"):
        (open_work / name).chmod(0)
    done = packed_by_nobody(open_work, "-o", "a.tar.zst", *more)
    assert done.returncode == 0, done.stderr
    why = "it cannot be read: Permission denied"
    assert f"Not in it: {open_work}/script.py ({why}).\n" in done.stdout
    for name in ("out.h5", "done.txt"):
        assert f"Cannot be compared later: {open_work}/{name}: {why}.\n" in done.stdout


@pytest.mark.parametrize("more", ((), ("--dry-run",)), ids=("packed", "planned"))
def test_an_input_that_may_not_be_read(more: tuple[str, ...], open_work: Path) -> None:
    open_work.chmod(0o777)
    (open_work / "data/in.h5").chmod(0)
    done = packed_by_nobody(open_work, "-o", "a.tar.zst", *more)
    why = "it cannot be copied: Permission denied"
    assert done.returncode == 1
    assert f"Cannot be packed: {open_work}/data/in.h5: {why}.\n" in done.stdout


STEPS = """
import h5py, os
for step in ("load", "analyse", "idle"):
    os.environ["QUARRY_TASK"] = step
    if step != "idle":
        h5py.File("in.h5")[step][0]
"""


def test_steps_of_one_process_are_repeated_together(tmp_path: Path) -> None:
    """Though only what one of them has used is packed."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["load"] = f["analyse"] = np.arange(20000)
    (tmp_path / "flow.py").write_text(STEPS)
    record(tmp_path, sys.executable, "flow.py")
    pack = ("pack", "t", "-o", "app.tar.zst", "--task")
    done = quarry(*pack, "analyse", "--json", cwd=tmp_path)
    caution = f"{sys.executable} flow.py worked for other tasks, too: load. "
    assert caution in done.stderr
    assert [caution in one for one in json.loads(done.stdout)["cautions"]] == [True]
    done = quarry(*pack, "analyse", "--task", "load", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0 and "other tasks" not in done.stderr


POOL = """
import sys
import h5py, multiprocessing

def work(number):
    return int(h5py.File("in.h5")["used"][number])

if __name__ == "__main__":
    if sys.argv[2] == "first":
        h5py.File("in.h5")["used"].shape
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        results = pool.map(work, range(20), chunksize=1)
    if sys.argv[2] != "never":
        with h5py.File("out.h5", "w") as f:
            f["sum"] = sum(results)
"""


@pytest.mark.parametrize("when", ("first", "later"))
@pytest.mark.parametrize("way", ("spawn", "forkserver"))
def test_workers_are_started_by_their_program(way: str, when: str, tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    (work / "pool.py").write_text(POOL)
    record(work, sys.executable, "pool.py", way, when)
    archive = packed(work)
    commands = json.loads(entries_of(archive)[0][1])["commands"]
    assert [one["command"][1] for one in commands if one["top_level"]] == ["pool.py"]
    assert len(commands) > 1 and not any(one["lacks_origin"] for one in commands)
    (work / "out.h5").unlink()
    done = unpack(archive, "--run")
    assert done.returncode == 0, done.stdout + done.stderr


def test_workers_of_an_unknown_program_are_not_repeated(tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    (work / "pool.py").write_text(POOL)
    record(work, sys.executable, "pool.py", "spawn", "never")
    archive = tmp_path / "app.tar.zst"
    done = quarry("pack", "t", "-o", archive, "--json", cwd=work)
    said = "The command is not known that has started "
    assert done.returncode == 0 and said in done.stderr
    assert not any(one["top_level"] for one in json.loads(done.stdout)["commands"])
    done = unpack(archive, "--run")
    assert done.returncode == 125 and said in done.stderr and not (tmp_path / "new").exists()
    assert unpack(archive).returncode == 0
    by_hand = ["sh", tmp_path / "new/run.sh"]
    done = subprocess.run(by_hand, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and said in done.stderr


def test_a_command_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    """Nor the comparison: it may have failed when it was recorded."""
    work = make_folder(tmp_path / "work")
    run = (
        "import h5py, sys; x = h5py.File('in.h5')['used'][5]; print(x, file=open(sys.argv[1], 'w'))"
    )
    (work / "fails.py").write_text(run + "; sys.exit(3)")
    (work / "works.py").write_text(run)
    done = quarry("run", "--trace", "t", "--", sys.executable, "fails.py", "a", cwd=work)
    assert done.returncode == 3
    record(work, sys.executable, "works.py", "b")
    archive = packed(work)
    for name in ("a", "b"):
        (work / name).unlink()
    done = unpack(archive, "--run", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1 and not answer["same"]
    assert {one["verdict"] for one in answer["outputs"]} == {"same"}
    assert f"{sys.executable} fails.py a ended with exit code 3." in answer["problem"]
    assert "when it was recorded is not known" in answer["problem"]
    (work / "b").unlink()
    by_hand = ["sh", tmp_path / "new/run.sh"]
    assert subprocess.run(by_hand, env=clean_environment(), check=False).returncode == 3
    assert (work / "b").read_text() == "5\n"


@pytest.mark.parametrize("end", ("kill -KILL $$", "exit 143"))
def test_what_is_stopped_stops_the_rest(end: str, tmp_path: Path) -> None:
    work = make_folder(tmp_path / "work")
    program = "import h5py; x = h5py.File('in.h5')['used'][5]; open('out.txt', 'w').write('1')"
    (work / "stopped.sh").write_text(f'"$1" -c "{program}"\nif test -e stop; then {end}; fi\n')
    record(work, "sh", "stopped.sh", sys.executable)
    record(work, sys.executable, "-c", program + ".real")
    archive = packed(work)
    (work / "out.txt").rename(work / "stop")
    done = unpack(archive, "--run")
    assert done.returncode == 1 and ".real" not in done.stderr, done.stderr


def test_names_do_not_depend_on_the_locale(tmp_path: Path) -> None:
    work = make_folder(tmp_path / "d\u00e4ten")
    program = "import h5py; h5py.File('in.h5')['used'][0]; open('\u00e4.txt', 'w').write('1')"
    (work / "\u00fc.py").write_text(program)
    record(work, sys.executable, "\u00fc.py")
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C"}

    def plainly(*words: object) -> subprocess.CompletedProcess:
        command = [QUARRY, *words]
        return subprocess.run(
            command, cwd=work, env=plain, capture_output=True, text=True, check=False
        )

    archive = tmp_path / "app.tar.zst"
    done = plainly("pack", "t", "-o", archive)
    assert done.returncode == 0, done.stderr
    assert f"programs{work}/\u00fc.py" in {one.name for one, _ in entries_of(archive)}
    done = plainly("unpack", archive, "-C", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"new/programs{work}/\u00fc.py").read_text() == program
