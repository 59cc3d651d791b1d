"""`quarry run --grow`: what a program has read from originals is in the carved files afterwards."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_runs import make, natively, on_carved
from carving import run

from cli import QUARRY, quarry


def test_grow_adds_what_was_fetched(carved: Path) -> None:
    folder = carved.parent
    program = "import h5py; f = h5py.File('in.h5'); print(f['gzip'][5].sum(), f['partly'][60, 0])"
    before = natively(folder, program)
    done = on_carved(folder, program, options=("--grow",))
    assert done.stdout == before and "holds it now" in done.stderr
    carved.unlink()
    again = on_carved(folder, program)
    assert again.stdout == before and again.stderr == ""
    with h5py.File(folder / "small" / carved.relative_to("/")) as f:
        f["partly"][0, 0]  # what there was is there still
        f["used"][...]
        for name, place in (
            ("gzip", (200, 0)),
            ("partly", (200, 0)),
            ("contiguous", 0),
            ("words", 0),
        ):
            with pytest.raises(OSError):
                f[name][place]


def test_what_was_read_where_there_are_no_chunks_stays_readable(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("part", (1000,), "f8", chunks=(100,), fillvalue=-1)[:300] = 1
        f["other"] = np.arange(20000.0)
    read = "import h5py; print(h5py.File('in.h5')['part'][500:503])"
    run(tmp_path, read)
    options = ("--granularity", "chunk", "--keep-below", "0")
    assert quarry("carve", "t", "-o", "small", *options, cwd=tmp_path).returncode == 0
    other = "import h5py; print(h5py.File('in.h5')['other'][7])"
    done = on_carved(tmp_path, other, options=("--grow",))
    assert done.stdout == "7.0\n" and "holds it now" in done.stderr
    (tmp_path / "in.h5").unlink()
    for program, outcome in ((read, "[-1. -1. -1.]\n"), (other, "7.0\n")):
        done = on_carved(tmp_path, program)
        assert (done.stdout, done.stderr) == (outcome, "")


def test_what_others_run_on_does_not_grow(carved: Path) -> None:
    folder = carved.parent
    program = "import h5py; print(h5py.File('in.h5')['gzip'][5].sum()); raise SystemExit({})"
    command = ["run", "--no-trace", "--carved", "small", "--", "sh", "-c", "echo in; read line"]
    with subprocess.Popen(
        [QUARRY, *command], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "in\n"
        for code in (0, 3):
            done = on_carved(folder, program.format(code), options=("--grow",))
            assert (done.returncode, done.stdout.count("\n")) == (code, 1), done.stderr
            assert f"was not added to {folder}/small: another program runs on it" in done.stderr
        running.communicate("end\n")
    assert "holds it now" in on_carved(folder, program.format(0), options=("--grow",)).stderr


def test_what_was_fetched_cannot_be_listed(carved: Path) -> None:
    program = """
import h5py, resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
f = h5py.File("in.h5")
print(f["gzip"][5].sum(), f["contiguous"][5].sum())
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program)
    assert done.stderr.count("cannot be listed in") == 1 and "File too large" in done.stderr


def test_the_list_of_what_was_fetched_is_not_made_anew(carved: Path) -> None:
    """By those that a program leaves behind."""
    program = """
import glob, h5py, os
f = h5py.File("in.h5")
(fetched,) = glob.glob("logs/quarry-fetched-*")
os.unlink(fetched)
print(f["gzip"][5, 0] == f["used"][5, 0] + 2, os.listdir("logs"))
"""
    (carved.parent / "logs").mkdir()
    command = ("run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", program)
    done = quarry(*command, cwd=carved.parent, env={"TMPDIR": str(carved.parent / "logs")})
    assert done.stdout.startswith("True ") and "quarry-fetched" not in done.stdout, done.stderr


def test_what_was_carved_with_checksums_grows_with_them(carved: Path) -> None:
    program = "import h5py; print(h5py.File('in.h5')['{}'][5].sum())"
    assert on_carved(carved.parent, program.format("gzip"), options=("--grow",)).returncode == 0
    done = on_carved(carved.parent, program.format("contiguous"), options=("--paranoid",))
    assert done.stdout == natively(carved.parent, program.format("contiguous")), done.stderr


def test_what_was_read_as_bytes_stays_whole_when_others_grow(tmp_path: Path) -> None:
    make(tmp_path / "in.h5")
    make(tmp_path / "two.h5")
    run(
        tmp_path,
        "import h5py; [h5py.File(f)['used'][0] for f in ('in.h5', 'two.h5')]; open('two.h5', 'rb').read()",
    )
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "import h5py; h5py.File('in.h5')['gzip'][0]", options=("--grow",))
    assert "holds it now" in done.stderr
    two = tmp_path / "two.h5"
    assert (tmp_path / "small" / two.relative_to("/")).read_bytes() == two.read_bytes()


def test_what_was_carved_with_checksums_grows_from_the_same_data_only(carved: Path) -> None:
    status = carved.stat()
    with h5py.File(carved, "r+") as f:
        place = f["used"].id.get_offset()
    with carved.open("r+b") as raw:
        raw.seek(place)
        raw.write(b"other")
    os.utime(carved, ns=(status.st_atime_ns, status.st_mtime_ns))
    before = (carved.parent / "small" / carved.relative_to("/")).read_bytes()
    program = "import h5py; h5py.File('in.h5')['contiguous'][5]"
    done = on_carved(carved.parent, program, options=("--grow",))
    assert done.returncode == 125 and "its data is other data" in done.stderr
    assert (carved.parent / "small" / carved.relative_to("/")).read_bytes() == before


def test_what_is_fetched_is_noted_wherever_the_program_goes(carved: Path) -> None:
    (carved.parent / "tmp").mkdir()
    program = "import h5py, os; f = h5py.File('in.h5'); os.chdir('/'); f['contiguous'][5]"
    command = ("--", sys.executable, "-c", program)
    words = ("run", "--no-trace", "--carved", "small", "--grow", *command)
    done = quarry(*words, cwd=carved.parent, env={"TMPDIR": "tmp"})
    assert "holds it now" in done.stderr


@pytest.mark.parametrize("whole", (True, False))
def test_only_what_was_carved_grows(tmp_path: Path, whole: bool) -> None:
    """Another file has come to the place of an original, with the size and an older time."""
    for name, value in (("a.h5", 1), ("b.h5", 1), ("c.h5", 2)):
        with h5py.File(tmp_path / name, "w") as f:
            f["used"] = f["unused"] = np.full(20000, value)
    read = "import h5py; print(h5py.File('a.h5')['{}'][7], h5py.File('b.h5')['used'][7])"
    also = "open('b.h5', 'rb').read()" if whole else ""
    run(tmp_path, f"{read.format('used')}\n{also}")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    os.utime(tmp_path / "c.h5", (1e9, 1e9))
    (tmp_path / "c.h5").rename(tmp_path / "b.h5")
    done = on_carved(tmp_path, read.format("unused"), options=("--grow",))
    assert done.returncode == 125 and done.stdout == "1 1\n"
    assert f"stays as it was: {tmp_path}/b.h5: it" in done.stderr
    assert on_carved(tmp_path, read.format("used")).stdout == "1 1\n"
