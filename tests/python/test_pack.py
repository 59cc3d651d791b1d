"""A run becomes one archive; taken apart elsewhere it gives the same, and a damaged one gives nothing."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from packing import (
    entries_of,
    entry,
    left_in,
    make_run,
    refused,
    rewritten,
    unpack,
    write_archive,
    zstd,
)
from running import clean_environment

from cli import QUARRY, REPOSITORY, quarry, record

sys.path.insert(0, str(REPOSITORY / "examples/carving"))
from applications import Application


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make_run(tmp_path / "work")


@pytest.mark.parametrize("name", ("kriging_omi", "tree_mortality"))
def test_an_application_is_repeated_from_its_archive(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in os.environ.keys() - clean_environment().keys():
        monkeypatch.delenv(variable)
    application = Application(name, tmp_path / "here" / name, "tiny", QUARRY)
    before = application.traced()
    archive = tmp_path / "app.tar.zst"
    done = quarry("pack", application.trace, "-o", archive)
    assert done.returncode == 0, done.stderr + done.stdout
    assert archive.stat().st_size < sum(f.stat().st_size for f in application.data.iterdir())
    (tmp_path / "here").rename(tmp_path / "gone")
    done = unpack(archive, "--run", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert f"{name}.py" in done.stderr
    assert answer["same"] is True and answer["compared"] == len(answer["outputs"])
    assert {one["verdict"] for one in answer["outputs"]} == {"same"}
    (result,) = (one["path"] for one in answer["outputs"] if one["path"].endswith("/result"))
    assert Path(result).read_bytes() == before.result
    # Nothing but the unpacked directory is new.
    assert left_in(tmp_path) == {"app.tar.zst", "gone", "new"}
    assert not (tmp_path / "new/run" / application.data.relative_to("/") / "x").exists()


def test_what_is_in_it(archive: Path, tmp_path: Path) -> None:
    assert unpack(archive).returncode == 0
    new = tmp_path / "new"
    pack = json.loads((new / "pack.json").read_text())
    for file in pack["files"]:
        content = (new / file["path"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (
            file["size"],
            file["sha256"],
        )
    subprocess.run(["sha256sum", "-c", "--quiet", "pack.json.sha256"], cwd=new, check=True)
    work = tmp_path / "work"
    (command,) = pack["commands"]
    assert command["command"] == [sys.executable, "script.py", "done.txt"]
    assert (command["directory"], command["top_level"]) == (str(work), True)
    assert {p["original"] for p in pack["programs"]} == {
        str(work / "script.py"),
        str(work / "helping.py"),
    }
    outputs = {Path(one["path"]).name: one for one in pack["outputs"]}
    assert outputs["done.txt"]["sha256"] == hashlib.sha256(b"done\n").hexdigest()
    assert outputs["out.h5"]["hdf5"] and outputs["out.h5"]["copy"]
    (python,) = pack["versions"]["python"]
    assert ["h5py", h5py.__version__, True] in python["distributions"]
    assert f"h5py=={h5py.__version__}\n" in (new / "requirements-1.txt").read_text()
    assert pack["versions"]["hdf5"][0]["version"] == h5py.version.hdf5_version
    container = (new / "Containerfile").read_text()
    own = f":{pack['versions']['system_version']}\n"
    assert (own if python["of_system"] else f"/python:{python['version']}-slim\n") in container
    assert "run.sh" in container
    assert "'script.py' 'done.txt'" in (new / "run.sh").read_text()
    assert (new / "carved" / work.relative_to("/") / "data/in.h5").stat().st_size < 400_000


def test_its_crate_is_accepted(archive: Path, tmp_path: Path) -> None:
    assert unpack(archive).returncode == 0
    program = Path(__file__).parent / "programs/validate_crate.py"
    judged = subprocess.run(
        [sys.executable, program, tmp_path / "new"], capture_output=True, text=True, check=False
    )
    assert judged.returncode == 0, judged.stdout + judged.stderr
    crate = json.loads((tmp_path / "new/ro-crate-metadata.json").read_text())
    entities = {one["@id"]: one for one in crate["@graph"]}
    carved = f"carved{tmp_path}/work/data/in.h5"
    assert entities[carved]["sha256"]
    assert {"@id": carved} in entities["#task0"]["object"]
    assert {"@id": f"outputs{tmp_path}/work/out.h5"} in entities["#task0"]["result"]
    assert entities["./"]["license"] == {"@id": "#license"}
    assert "No license" in entities["#license"]["name"]
    done = entities[f"file://{tmp_path}/work/done.txt"]
    assert (done["contentSize"], done["sha256"]) == ("5", hashlib.sha256(b"done\n").hexdigest())


def test_packing_again_gives_the_same(archive: Path, tmp_path: Path) -> None:
    before = entries_of(archive)
    done = quarry("pack", "t", "-o", archive, cwd=tmp_path / "work")
    assert done.returncode == 0, done.stderr
    assert [one.name for one, _ in entries_of(archive)] == [one.name for one, _ in before]
    other = tmp_path / "other"
    other.write_text("mine")
    done = quarry("pack", "t", "-o", other, cwd=tmp_path / "work")
    assert done.returncode == 125 and "left alone" in done.stderr and other.read_text() == "mine"


def test_dry_run_writes_nothing(archive: Path, tmp_path: Path) -> None:
    before = left_in(tmp_path), left_in(tmp_path / "work")
    done = quarry("pack", "t", "-o", "../b.tar.zst", "--dry-run", cwd=tmp_path / "work")
    assert done.returncode == 0, done.stderr
    assert "helping.py" in done.stdout and "Nothing has been written" in done.stdout
    assert (left_in(tmp_path), left_in(tmp_path / "work")) == before


def test_an_input_that_changed_is_refused(archive: Path, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "work/data/in.h5", "r+") as f:
        f["used"][0] = 5
    done = quarry("pack", "t", "-o", "../b.tar.zst", cwd=tmp_path / "work")
    assert done.returncode == 1 and "Cannot be packed" in done.stdout
    assert left_in(tmp_path) == {"app.tar.zst", "work"}


def test_outputs_that_changed_are_not_compared(archive: Path, tmp_path: Path) -> None:
    os.utime(tmp_path / "work/done.txt", (2e9, 2e9))
    (tmp_path / "work/out.h5").unlink()
    done = quarry("pack", "t", "-o", archive, cwd=tmp_path / "work")
    assert "done.txt: it was changed after the run" in done.stdout
    assert "out.h5: it is gone" in done.stdout


def test_secrets_are_not_in_it(tmp_path: Path) -> None:
    archive = make_run(tmp_path / "work", "--password", "hunter2", "--token=sesame")
    for _, content in entries_of(archive):
        assert b"hunter2" not in content and b"sesame" not in content
    shutil.rmtree(tmp_path / "work")
    done = unpack(archive, "--run")
    assert done.returncode == 125 and "secret" in done.stderr


def test_what_is_there_is_not_written_over(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "work/done.txt").write_text("mine")
    done = unpack(archive, "--run")
    assert done.returncode == 125 and "--overwrite" in done.stderr
    assert (tmp_path / "work/done.txt").read_text() == "mine"
    assert not (tmp_path / "new").exists()
    done = unpack(archive, "--run", "--overwrite")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "work/done.txt").read_text() == "done\n"


def test_an_output_that_is_not_made_again_is_not_the_same(tmp_path: Path) -> None:
    """Though a file from before is there, with the same bytes."""
    work = tmp_path / "work"
    work.mkdir()
    with h5py.File(work / "in.h5", "w") as f:
        f["used"] = np.arange(10)
    (work / "script.py").write_text(
        "import h5py, os\n"
        "x = h5py.File('in.h5')['used'][0]\n"
        "for name in os.environ.get('MADE', 'always').split():\n"
        "    open(name, 'w').write(str(x))\n"
    )
    record(work, sys.executable, "script.py", env={"MADE": "always once"})
    archive = tmp_path / "app.tar.zst"
    assert quarry("pack", "t", "-o", archive, cwd=work).returncode == 0
    done = quarry("unpack", archive, "--run", "--overwrite", "--json", cwd=tmp_path)
    outputs = json.loads(done.stdout)["outputs"]
    assert {Path(one["path"]).name: one["verdict"] for one in outputs} == {
        "always": "same",
        "once": "missing",
    }
    assert done.returncode == 1


def test_other_results_are_reported(archive: Path, tmp_path: Path) -> None:
    """The archive says what was made before; the program in it makes something else."""
    entries = entries_of(archive)
    pack = json.loads(entries[0][1])
    changed = {}
    for one, content in entries:
        if one.name.endswith("helping.py"):
            changed[one.name] = content.replace(b"2 * x", b"3 * x")
        if one.name.endswith("script.py"):
            changed[one.name] = content.replace(b'"done', b'print("over") and "done')
    for file in pack["files"]:
        if content := changed.get(file["path"]):
            file |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest = json.dumps(pack).encode()
    changed["pack.json"] = manifest
    changed["pack.json.sha256"] = f"{hashlib.sha256(manifest).hexdigest()}  pack.json\n".encode()
    for one, _ in entries:
        one.size = len(changed[one.name]) if one.name in changed else one.size
    write_archive(archive, [(one, changed.get(one.name, content)) for one, content in entries])
    (tmp_path / "work").rename(tmp_path / "gone")
    done = unpack(archive, "--run")
    assert done.returncode == 1, done.stderr
    assert "exit code 1" in done.stderr
    assert "/twice: its data is another at [0]" in done.stdout
    assert "done.txt" in done.stdout and "its bytes are others" in done.stdout


def test_times_in_files_do_not_count(archive: Path, tmp_path: Path) -> None:
    time.sleep(1.1)  # HDF5 counts seconds
    (tmp_path / "work").rename(tmp_path / "gone")
    done = unpack(archive, "--run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "same but for times" in done.stdout
    made = tmp_path / "new/run" / (tmp_path / "work").relative_to("/")
    assert left_in(made) == {"out.h5", "done.txt", "data"} and not left_in(made / "data")


def test_flipped_bytes(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    assert unpack(archive).returncode == 0
    expected = {p: p.read_bytes() for p in (tmp_path / "new").rglob("*") if p.is_file()}
    shutil.rmtree(tmp_path / "new")
    for place in range(5, len(whole), len(whole) // 25):
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        done = unpack(archive)
        if done.returncode == 0:  # in what fills up the last block
            assert {p: p.read_bytes() for p in expected} == expected
            shutil.rmtree(tmp_path / "new")
        assert left_in(tmp_path) == {"app.tar.zst", "work"}


@pytest.mark.parametrize("part", (0.0, 0.01, 0.5, 0.99))
def test_truncated(archive: Path, part: float) -> None:
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(len(whole) * part)])
    refused(archive)


@pytest.mark.parametrize(
    "hostile",
    (
        entry("../outside", b"x"),
        entry("/tmp/quarry-outside", b"x"),
        entry("carved/../../outside", b"x"),
        entry("link", type=tarfile.SYMTYPE, linkname="/etc"),
        entry("README.txt", type=tarfile.SYMTYPE, linkname="../../outside"),
        entry("README.txt", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
        entry("README.txt", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
        entry("README.txt", type=tarfile.FIFOTYPE),
        entry("README.txt", type=tarfile.DIRTYPE),
        entry("README.txt", b"other"),
        entry("unlisted", b"x"),
    ),
    ids=lambda one: f"{one[0].name}-{one[0].type.decode()}",
)
def test_hostile_entries(archive: Path, hostile: tuple[tarfile.TarInfo, bytes]) -> None:
    head, rest = entries_of(archive)[:2], entries_of(archive)[2:]
    write_archive(archive, [*head, hostile, *rest])
    refused(archive, hostile[0].name)
    assert not (archive.parent.parent / "outside").exists()


@pytest.mark.parametrize(
    "path", ("../outside", "/tmp/quarry-outside", "a/../../b", "", "a//b", ".")
)
def test_hostile_manifests(archive: Path, path: str) -> None:
    rewritten(archive, lambda pack: pack["files"][0].update(path=path))
    refused(archive, "pack.json is damaged")


def test_bombs(archive: Path) -> None:
    whole = archive.read_bytes()
    rewritten(archive, lambda pack: pack["files"][0].update(size=1 << 60))
    refused(archive, "--max-size")
    rewritten(archive, lambda pack: pack["files"][0].update(size=(1 << 64) - 1))
    refused(archive, "--max-size")
    archive.write_bytes(whole)
    done = unpack(archive, "--max-size", "10K")
    assert done.returncode == 125 and "--max-size" in done.stderr
    entries = entries_of(archive)
    out = io.BytesIO()
    entries[2][0].size = 1 << 50
    out.write(
        entries[0][0].tobuf() + entries[0][1].ljust(-(-len(entries[0][1]) // 512) * 512, b"\0")
    )
    out.write(entries[1][0].tobuf() + entries[1][1].ljust(512, b"\0"))
    out.write(entries[2][0].tobuf() + b"x" * 512)
    archive.write_bytes(zstd("-c", data=out.getvalue()))
    refused(archive, entries[2][0].name, "size")


def test_without_a_manifest(archive: Path) -> None:
    entries = entries_of(archive)
    for some in (entries[2:], entries[:1], [entries[0], *entries[2:]], entries[:-1], []):
        write_archive(archive, some)
        refused(archive)
    for change in (lambda pack: pack.update(format=2), lambda pack: pack.pop("files")):
        write_archive(archive, entries)
        rewritten(archive, change)
        refused(archive, "pack.json")
    archive.write_text("no archive")
    refused(archive)
    archive.unlink()
    refused(archive, "app.tar.zst")


def test_a_directory_that_is_there_is_left_alone(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/mine").touch()
    done = unpack(archive)
    assert done.returncode == 125 and "is there already" in done.stderr
    assert left_in(tmp_path / "new") == {"mine"}


def test_a_directory_may_be_given_with_a_slash(archive: Path, tmp_path: Path) -> None:
    done = quarry("unpack", archive, "-C", "again/", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again/pack.json").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "An empty path was given"), ("new/", "new/ names a directory"), (".", ". names a dir")],
)
def test_an_archive_is_a_file(name: str, said: str, archive: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    done = quarry("pack", "work/t", "-o", name, cwd=tmp_path)
    assert done.returncode == 125 and said in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_an_input_is_no_program_by_any_name(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = f["secret"] = np.arange(50_000)
    (tmp_path / "link.h5").symlink_to("in.h5")
    program = "import h5py, sys; h5py.File(sys.argv[1])['used'][...]"
    record(tmp_path, sys.executable, "-c", program, "link.h5")
    record(tmp_path, sys.executable, "-c", program, "in.h5")
    done = quarry("pack", "t", "-o", "app.tar.zst", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["programs"] == []


READS_MORE = """
import h5py, sys
factor = float(open("settings.txt").read())
first = open(sys.argv[1], "rb").read()[0]
open(".private").read()
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    g["scaled"] = f["used"][...] * factor + first
with open("made.txt", "w") as f:
    f.write("7")
open("made.txt").read()
"""


def test_a_program_that_goes_elsewhere_is_repeated_where_it_began(tmp_path: Path) -> None:
    """Before it opens anything."""
    run = tmp_path / "run"
    (run / "results").mkdir(parents=True)
    with h5py.File(run / "in.h5", "w") as f:
        f["x"] = [1.5]
    (run / "script.py").write_text(
        "import os; os.chdir('results')\nimport h5py\n"
        "with h5py.File('../in.h5') as f, h5py.File('out.h5', 'w') as g: g['y'] = f['x'][0]\n"
    )
    record(run, sys.executable, "script.py")
    assert quarry("pack", "t", "-o", "../a.tar.zst", cwd=run).returncode == 0
    shutil.rmtree(run)
    run.mkdir()
    (run / "results").mkdir()
    done = quarry("unpack", "--run", "a.tar.zst", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_that_are_not_hdf5(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with h5py.File(work / "in.h5", "w") as f:
        f["used"] = np.arange(5000.0)
    (work / "settings.txt").write_text("3")
    (work / ".private").write_text("mine")
    (work / "weights.bin").write_bytes(bytes(12_000_000))
    (work / "script.py").write_text(READS_MORE)
    record(work, sys.executable, "script.py", "weights.bin")
    archive = tmp_path / "app.tar.zst"
    done = quarry("pack", "t", "-o", archive, cwd=work)
    assert done.returncode == 0, done.stderr
    assert f"Not in it: {work}/weights.bin (it has more than 10 MB).\n" in done.stdout
    assert f"Not in it: {work}/.private (it is hidden, and may be private).\n" in done.stdout
    told = json.loads(quarry("pack", "t", "-o", archive, "--json", cwd=work).stdout)
    assert told["programs"] == [f"{work}/script.py", f"{work}/settings.txt"]
    missing = {f"{work}/weights.bin", f"{work}/.private"}
    assert {one["path"] for one in told["left_out"]} == missing
    for name in ("in.h5", "out.h5", "made.txt", "settings.txt", "script.py"):
        (work / name).unlink()
    done = unpack(archive, "--run")
    assert done.returncode == 0, done.stderr + done.stdout
    pack = json.loads((tmp_path / "new/pack.json").read_text())
    assert {one["path"] for one in pack["left_out"]} == missing


def test_a_name_that_the_file_system_does_not_allow(archive: Path) -> None:
    name = "x" * 300
    rewritten(archive, lambda pack: pack["files"][-1].update(path=name))
    entries = entries_of(archive)
    entries[-1][0].name = name
    write_archive(archive, entries)
    refused(archive, f"{name} cannot be written below {archive.parent}/new: File name too long")


def test_an_archive_that_cannot_be_written_to_its_end(archive: Path, tmp_path: Path) -> None:
    """As on a full disk: there is room for each file of it, and not for all."""
    size = archive.stat().st_size - 1000
    done = subprocess.run(
        ["prlimit", f"--fsize={size}", QUARRY, "pack", "t", "-o", "other.tar.zst"],
        cwd=tmp_path / "work",
        restore_signals=False,  # and the signal for it stays ignored
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 125, done.stdout + done.stderr
    said = f"{tmp_path}/work/other.tar.zst cannot be written: File too large."
    assert said in done.stderr
    assert "other.tar.zst" not in left_in(tmp_path / "work")


def test_inputs_that_are_opened_for_writing_are_so_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with h5py.File(work / "in.h5", "w") as f:
        f["x"] = np.arange(9)
    program = "import h5py; h5py.File('out.h5', 'w')['y'] = h5py.File('in.h5', 'a')['x'][3]"
    record(work, sys.executable, "-c", program)
    assert quarry("pack", "t", "-o", "app.tar.zst", cwd=work).returncode == 0
    for name in ("in.h5", "out.h5"):
        (work / name).unlink()
    done = quarry("unpack", "app.tar.zst", "-C", "new", "--run", cwd=work)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_container_finds_inputs_by_their_other_names(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with h5py.File(work / "in.h5", "w") as f:
        f["x"] = np.arange(9)
    (work / "link.h5").symlink_to("in.h5")
    program = "import h5py; print(h5py.File('link.h5')['x'][3])"
    record(work, sys.executable, "-c", program)
    assert quarry("pack", "t", "-o", "app.tar.zst", cwd=work).returncode == 0
    assert quarry("unpack", "app.tar.zst", "-C", "new", cwd=work).returncode == 0
    container = (work / "new/Containerfile").read_text()
    # What a container would do, in a folder of its own.
    (line,) = [line for line in container.splitlines() if "link.h5" in line]
    root = tmp_path / "root"
    shutil.copytree(work / "new/carved", root)
    script = line.removeprefix("RUN ").replace(str(tmp_path), f"{root}{tmp_path}")
    subprocess.run(["sh", "-c", script], check=True)
    assert (root / (work / "link.h5").relative_to("/")).resolve().name == "in.h5"
