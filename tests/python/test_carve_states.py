"""Inputs that are not as they were when they were read, and those that only look like it."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carving import carve, copy_of, run

from cli import quarry, record


def test_a_file_that_is_another_by_now_is_refused(rich: Path) -> None:
    folder = rich.parent
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]")
    carve(folder, "t")
    before = copy_of(rich).read_bytes()
    time.sleep(0.01)
    with h5py.File(rich, "r+") as f:
        f["mu"][0] = 0
    done = quarry("carve", "-o", "new/place/small", "t", cwd=folder)
    assert done.returncode == 1 and not (folder / "new").exists()
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 1
    assert f"Not carved: {rich}: it has been changed since it was used" in done.stdout
    assert "Nothing has been written" in done.stdout
    assert copy_of(rich).read_bytes() == before


@pytest.mark.parametrize(
    "opening", ("h5py.File('in.h5', 'a')", "h5py.File('in.h5', 'r+', libver='latest')")
)
def test_a_file_that_was_opened_for_writing_and_only_read_is_carved(
    rich: Path, opening: str
) -> None:
    """HDF5 writes the same first block again, and the file is younger than it was."""
    folder = rich.parent
    before = rich.stat().st_mtime_ns
    run(folder, f"import h5py; {opening}['mu'][0]", trace="t")
    assert rich.stat().st_mtime_ns > before
    run(folder, f"import h5py; {opening}['gzip'][0]", trace="u")
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]", trace="u")
    done = quarry("carve", "-o", "small", "t", "u", cwd=folder)
    assert done.returncode == 0
    assert f"{rich} was opened for writing, though only read" in done.stderr
    with h5py.File(copy_of(rich)) as f, h5py.File(rich) as old:
        for name in ("mu", "gzip"):
            assert (f[name][...] == old[name][...]).all()
    with h5py.File(rich, "r+") as f:
        f["mu"][0] = 0
    done = quarry("carve", "-o", "new", "t", "u", cwd=folder)
    assert done.returncode == 1 and "it has been changed since it was used" in done.stdout


def test_a_netcdf_file_that_was_opened_for_writing_and_only_read_is_carved(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as d:
        d.createDimension("x", 3)
        d.createVariable("v", "f8", ("x",))[:] = [1, 2, 3]
    run(tmp_path, "import netCDF4; print(netCDF4.Dataset('in.nc', 'a')['v'][:])")
    carve(tmp_path, "t")


def test_a_file_that_is_younger_for_a_reason_that_is_not_recorded_is_refused(rich: Path) -> None:
    """At this level a trace does not tell what HDF5 writes."""
    code = "import h5py; f = h5py.File('in.h5', 'a'); f['mu'][0] = 7; f['gzip'][0]"
    record(rich.parent, sys.executable, "-c", code, options=("--level", "accesses"))
    done = quarry("carve", "-o", "small", "t", cwd=rich.parent)
    assert done.returncode != 0 and not (rich.parent / "small").exists()


def test_a_file_that_a_child_changes_while_it_is_only_read(rich: Path) -> None:
    """For another task: what the chosen one read is not what is there now."""
    code = """
import h5py, os, subprocess, sys
os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
with h5py.File("in.h5", "a", locking=False) as f:
    f["mu"][0]
    change = "import h5py; h5py.File('in.h5', 'a', locking=False)['mu'][0] = 7"
    subprocess.run([sys.executable, "-c", change], env=os.environ | {"QUARRY_TASK": "other"})
"""
    record(rich.parent, sys.executable, "-c", code, task="reads")
    done = quarry("carve", "-o", "small", "t", "--task", "reads", cwd=rich.parent)
    assert done.returncode == 1 and "it has been changed since it was used" in done.stdout


def test_a_file_that_was_written_to_in_one_of_several_openings_is_named(rich: Path) -> None:
    folder = rich.parent
    run(
        folder,
        """
import h5py
with h5py.File("in.h5", "a") as f: f["mu"][0]
with h5py.File("in.h5", "a") as f: f["mu"][0] = 7
with h5py.File("in.h5", "a") as f: f["mu"][0]
""",
    )
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 1 and "the tasks have written to it" in done.stdout


def test_a_file_that_changes_while_it_is_copied_is_refused(tmp_path: Path) -> None:
    """Not before its copy is begun, or it would be refused for that."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["data"] = np.random.default_rng(1).random(10_000_000)
    run(tmp_path, "import h5py; h5py.File('in.h5')['data'][0]")

    def change_when_begun() -> None:
        while not list(tmp_path.glob(".quarry-unfinished-*")):
            time.sleep(0.0005)
        os.utime(path)

    with ThreadPoolExecutor(1) as pool:
        changed = pool.submit(change_when_begun)
        done = quarry("carve", "-o", "small", "t", cwd=tmp_path)
        changed.result(timeout=60)
    assert done.returncode == 1
    assert f"Not carved: {path}: it was changed while it was copied" in done.stdout
    assert not (tmp_path / "small").exists()


def test_older_data_put_in_its_place_is_another_file(rich: Path) -> None:
    """The same inode and size; what `cp -p` and `rsync --inplace` leave."""
    folder = rich.parent
    older = folder / "older.h5"
    shutil.copy2(rich, older)
    with h5py.File(older, "r+") as f:
        f["mu"][0] = 0
    os.utime(older, ns=(1_000_000_000, 1_000_000_000))
    assert older.stat().st_size == rich.stat().st_size
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]")
    subprocess.run(["cp", "-p", older, rich], check=True)
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 1
    assert f"Not carved: {rich}: it has been changed since it was used" in done.stdout


def test_raw_data_that_is_older_by_now_is_another_file(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(bytes(80_000))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("outside", (10_000,), "f8", external=[("raw", 0, 80_000)])
    run(tmp_path, "import h5py; h5py.File('in.h5')['outside'][0]")
    os.utime(tmp_path / "raw", ns=(1_000_000_000, 1_000_000_000))
    done = quarry("carve", "-o", "small", "t", cwd=tmp_path)
    assert done.returncode == 1
    assert f"Not carved: {tmp_path}/raw: it has been changed since it was used" in done.stdout


def test_a_file_whose_clock_is_ahead_is_carved(rich: Path) -> None:
    folder = rich.parent
    ahead = time.time_ns() + 3600 * 10**9
    os.utime(rich, ns=(ahead, ahead))
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]")
    assert carve(folder, "t")["files"][0]["original"] == str(rich)


def make(folder: Path, name: str, times: int = 1) -> Path:
    with h5py.File(folder / name, "w") as f:
        f["x"], f["y"] = np.arange(100_000) * times, np.arange(100_000)
    return folder / name


def make_virtual(folder: Path, *sources: str) -> None:
    layout = h5py.VirtualLayout((len(sources), 100_000), "i8")
    for number, source in enumerate(sources):
        layout[number] = h5py.VirtualSource(source, "x", (100_000,))
    with h5py.File(folder / "v.h5", "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
        f["link"] = h5py.ExternalLink(sources[0], "x")


def refused(folder: Path, why: str, *words: str) -> bool:
    done = quarry("carve", "-o", "small", *(words or ("t",)), cwd=folder)
    assert done.returncode == 1 and not (folder / "small").exists(), done.stdout + done.stderr
    assert why in done.stdout, done.stdout + done.stderr
    return True


WRITTEN = "the tasks have written to it"
CHANGED = "it has been changed since it was used"
ANOTHER_BY_NAME = "where another file is by now"

PAST_HDF5 = {
    "while HDF5 has it open": (
        """
with h5py.File("in.h5", "a") as f:
    v, at = f["x"][:], f["x"].id.get_offset()
    with open("in.h5", "r+b") as raw:
        raw.seek(at)
        raw.write(b"7" * 800)
""",
        WRITTEN,
    ),
    "by a program that is not seen": (
        """
with h5py.File("in.h5", "a") as f:
    v, at = f["x"][:], f["x"].id.get_offset()
    dd = ["dd", "if=/dev/urandom", "of=in.h5", "bs=1", "count=8", f"seek={at}", "conv=notrunc"]
    subprocess.run(dd, env={"PATH": os.environ["PATH"]}, stderr=subprocess.DEVNULL)
""",
        CHANGED,
    ),
    "by HDF5's handle": (
        """
with h5py.File("in.h5", "a") as f:
    v, at = f["x"][:], f["x"].id.get_offset()
    os.pwrite(f.id.get_vfd_handle(), b"7" * 800, at)
""",
        CHANGED,
    ),
    "before HDF5 reads it": (
        """
with open("in.h5", "r+b", 0) as raw:
    raw.seek(9000)
    raw.write(b"7" * 800)
h5py.File("in.h5")["x"][:]
""",
        WRITTEN,
    ),
    "in a mapping": (
        """
m = np.memmap("in.h5", "u1", "r+")
m[9000] = m[9000]
h5py.File("in.h5")["x"][:]
m[9000:9800] = 7
""",
        WRITTEN,
    ),
}


@pytest.mark.parametrize("when", PAST_HDF5)
def test_what_is_written_past_hdf5_is_noticed(tmp_path: Path, when: str) -> None:
    make(tmp_path, "in.h5")
    code, why = PAST_HDF5[when]
    run(tmp_path, "import h5py, os, subprocess, numpy as np\n" + code)
    assert refused(tmp_path, why)


ONLY_READ = {
    "twice at the same time": """
f, g = h5py.File("in.h5", "a"), h5py.File("in.h5", "a")
f["x"][0]
f.close()
g["y"][0]
g.close()
h5py.File("in.h5")["x"][0]
""",
    "and read while it is open": """
with h5py.File("in.h5", "a") as f, h5py.File("in.h5", "r+") as g:
    f["x"][0], g["y"][0]
""",
    "beside a program that reads it": """
with h5py.File("in.h5", "a", locking=False) as f:
    f["x"][0]
    read = "import h5py; h5py.File('in.h5', locking=False)['y'][0]"
    subprocess.run([sys.executable, "-c", read], check=True)
""",
    "by a worker that closes nothing": """
def work():
    global f
    f = h5py.File("in.h5", "a")
    f["x"][0]
worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
""",
    "by a program that is killed": """
f = h5py.File("in.h5", "a")
f["x"][0]
if os.fork() == 0:
    h5py.File("in.h5", "a")["y"][0]
    os.kill(os.getpid(), 9)
os.wait()
""",
    "and closed last by a child": """
f = h5py.File("in.h5", "a", locking=False)
f["x"][0]
r, w = os.pipe()
if os.fork() == 0:
    os.read(r, 1)
    f.close()
    os._exit(0)
f.close()
os.write(w, b"1")
os.wait()
""",
    "and renamed meanwhile": """
with h5py.File("in.h5", "a") as f:
    f["x"][0]
    os.rename("in.h5", "moved.h5")
os.rename("moved.h5", "in.h5")
""",
    "with a copy in memory": """
with h5py.File("in.h5", "r+", driver="core", backing_store=True) as f: f["x"][0]
""",
    "by a stream": """
with h5py.File("in.h5", "r+", driver="stdio") as f: f["x"][0]
""",
}


@pytest.mark.parametrize("how", ONLY_READ)
def test_a_file_that_was_opened_for_writing_in_another_way_and_only_read(
    tmp_path: Path, how: str
) -> None:
    make(tmp_path, "in.h5")
    run(tmp_path, "import h5py, multiprocessing, os, subprocess, sys\n" + ONLY_READ[how])
    carve(tmp_path, "t")
    with h5py.File(copy_of(tmp_path / "in.h5")) as f:
        assert (f["x"][:] == np.arange(100_000)).all()


def test_a_file_with_a_user_block_that_was_opened_for_writing_and_only_read(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w", userblock_size=512) as f:
        f["x"] = np.arange(100_000)
    run(tmp_path, "import h5py; h5py.File('in.h5', 'a')['x'][0]")
    carve(tmp_path, "t")


def test_a_file_of_the_future_that_was_opened_for_writing_and_only_read(tmp_path: Path) -> None:
    tomorrow = time.time() + 86400
    os.utime(make(tmp_path, "in.h5"), (tomorrow, tomorrow))
    run(tmp_path, "import h5py; h5py.File('in.h5', 'a')['x'][0]")
    carve(tmp_path, "t")


def test_what_a_file_leads_to_that_was_opened_for_writing(tmp_path: Path) -> None:
    make(tmp_path, "s.h5")
    make_virtual(tmp_path, "s.h5")
    run(tmp_path, "import h5py; f = h5py.File('v.h5', 'a'); f['link'][0]; f['v'][0]")
    assert len(carve(tmp_path, "t")["files"]) == 2


def test_a_file_that_another_task_has_opened_for_writing_and_only_read(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    code = "import h5py; h5py.File('in.h5', '{}')['x'][0]"
    record(tmp_path, sys.executable, "-c", code.format("r"), task="one")
    record(tmp_path, sys.executable, "-c", code.format("a"), task="two")
    carve(tmp_path, "t", "--task", "one")


REMAKES = (
    'h5py.File("s.h5", "w")["x"] = np.arange(100_000) * 3',
    'import shutil; shutil.copy("other.h5", "s.h5")',
)


@pytest.mark.parametrize("remake", REMAKES)
@pytest.mark.parametrize("read", ("v", "link"))
def test_a_file_that_was_read_by_what_leads_to_it_and_then_made_anew(
    tmp_path: Path, read: str, remake: str
) -> None:
    make(tmp_path, "s.h5")
    make(tmp_path, "other.h5", 5)
    make_virtual(tmp_path, "s.h5")
    head = "import h5py, numpy as np\n"
    run(tmp_path, f"{head}with h5py.File('v.h5') as f: f['{read}'][:]\n{remake}")
    done = quarry("carve", "-o", "small", "t", cwd=tmp_path)
    assert done.returncode == 1 and f"Not carved: {tmp_path}/s.h5: {WRITTEN}" in done.stdout
    assert not copy_of(tmp_path / "s.h5").exists()


def test_a_file_that_was_opened_for_an_earlier_task_and_then_made_anew(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    code = """
import h5py, os
f = h5py.File("in.h5")
os.environ["QUARRY_TASK"] = "two"
f["x"][:]
f.close()
h5py.File("in.h5", "w")["x"] = [1]
"""
    record(tmp_path, sys.executable, "-c", code, task="one")
    assert refused(tmp_path, WRITTEN, "t", "--task", "two")


@pytest.mark.parametrize("by", ("latest.h5", "current/mon.h5"))
@pytest.mark.parametrize("is_read_again", (True, False))
def test_a_name_by_which_another_file_is_found_by_now(
    tmp_path: Path, by: str, is_read_again: bool
) -> None:
    for folder, times in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        make(tmp_path, f"{folder}/mon.h5", times)
    (tmp_path / "current").symlink_to("one")
    (tmp_path / "latest.h5").symlink_to("one/mon.h5")
    code = f"import h5py; h5py.File('one/mon.h5')['x'][0]; h5py.File('{by}')['x'][0]"
    run(tmp_path, code)
    for name, target in (("current", "two"), ("latest.h5", "two/mon.h5")):
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to(target)
    if is_read_again:
        run(tmp_path, code)
    assert refused(tmp_path, ANOTHER_BY_NAME)


def test_files_that_have_taken_turns_at_a_name(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]")
    (tmp_path / "in.h5").rename(tmp_path / "in.bak")
    make(tmp_path, "in.h5", 2)
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]; h5py.File('in.bak')['x'][0]")
    assert refused(tmp_path, ANOTHER_BY_NAME)


def test_a_source_that_has_come_since(tmp_path: Path) -> None:
    """What was read of it were fill values."""
    make(tmp_path, "s.h5")
    make_virtual(tmp_path, "s.h5", "late.h5")
    run(tmp_path, "import h5py; h5py.File('v.h5')['v'][:]")
    carve(tmp_path, "t")
    shutil.rmtree(tmp_path / "small")
    time.sleep(0.02)
    make(tmp_path, "late.h5", 2)
    assert refused(tmp_path, "late.h5: it has come there, or was changed, since")


def test_another_file_with_the_number_size_and_time_of_the_one_that_was_read(
    tmp_path: Path,
) -> None:
    for name, times in (("in.h5", 1), ("other.h5", 2)):
        os.utime(make(tmp_path, name, times), (1, 1))
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]")
    place = tmp_path / "in.h5"
    inode = place.stat().st_ino
    place.unlink()
    shutil.copy2(tmp_path / "other.h5", place)
    if place.stat().st_ino != inode:
        pytest.skip("this file system does not give out a number again at once")
    assert refused(tmp_path, "another file has taken its place")


def test_other_raw_data_of_the_same_age(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("d", (100,), "i8", external=[(str(tmp_path / "d.raw"), 0, 800)])[:] = (
            np.arange(100)
        )
    np.full(100, 7).tofile(tmp_path / "e.raw")
    for name in ("d.raw", "e.raw"):
        os.utime(tmp_path / name, (1, 1))
    run(tmp_path, "import h5py; h5py.File('in.h5')['d'][:]")
    (tmp_path / "e.raw").rename(tmp_path / "d.raw")
    assert refused(tmp_path, "another file has taken its place")


def test_bytes_that_were_read_before_a_file_was_changed(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    run(tmp_path, "open('in.h5', 'rb').read()")
    time.sleep(0.02)
    make(tmp_path, "in.h5", 3)
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]")
    assert refused(tmp_path, CHANGED)


def test_an_input_where_a_file_of_an_earlier_trace_was(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    run(tmp_path, "import h5py; h5py.File('work.h5', 'w')['q'] = [1]", trace="t")
    (tmp_path / "work.h5").rename(tmp_path / "old.h5")
    (tmp_path / "in.h5").rename(tmp_path / "work.h5")
    run(tmp_path, "import h5py; h5py.File('work.h5')['x'][0]", trace="u")
    found = carve(tmp_path, "t", "u")
    assert [file["original"] for file in found["files"]] == [str(tmp_path / "work.h5")]


def test_a_file_that_was_once_opened_as_one_of_several(tmp_path: Path) -> None:
    split = "h5py.File('in.h5', {!r}, driver='split', meta_ext=b'.m', raw_ext=b'.r')"
    make(tmp_path, "in.h5")
    run(tmp_path, f"import h5py; {split.format('w')}['x'] = [1]", trace="made")
    code = f"import h5py; h5py.File('in.h5').close(); {split.format('r')}['x'][:]"
    run(tmp_path, code)
    assert refused(tmp_path, "HDF5 has spread it over several files")


def test_what_failed_to_be_read_fails_again(tmp_path: Path) -> None:
    """For the same reason: it is there."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("x", data=np.random.default_rng(1).random(100_000), compression=1)
        chunk = f["x"].id.get_chunk_info(0)
    with open(tmp_path / "in.h5", "r+b") as raw:
        raw.seek(chunk.byte_offset)
        raw.write(bytes(chunk.size))
    code = """
import h5py
try: h5py.File("in.h5")["x"][0]
except OSError as failure: print(failure)
"""
    assert "filter" in run(tmp_path, code).stdout
    (file,) = carve(tmp_path, "t")["files"]
    assert [dataset["what"] for dataset in file["datasets"]] == ["kept"]


def test_what_one_trace_says_of_bytes_holds_for_what_another_read_by_hdf5(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    run(tmp_path, "open('in.h5', 'rb').read()", trace="t")
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]", trace="u")
    (file,) = carve(tmp_path, "t", "u")["files"]
    assert "read without HDF5" in file["why_whole"]


def test_what_one_trace_has_written_past_hdf5_holds_for_another(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    code = "import numpy as np; np.memmap('in.h5', 'u1', 'r+')[9000] = 7"
    run(tmp_path, code, trace="t")
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]", trace="u")
    assert refused(tmp_path, WRITTEN, "t", "u")


def test_an_input_of_a_task_that_another_has_made_and_that_is_opened_for_writing(
    tmp_path: Path,
) -> None:
    """What was written before is what it reads."""
    write = "import h5py, numpy as np; h5py.File('in.h5', 'w')['x'] = np.arange(100_000)"
    record(tmp_path, sys.executable, "-c", write, task="one")
    read = "import h5py; h5py.File('in.h5', 'a')['x'][0]"
    record(tmp_path, sys.executable, "-c", read, task="two")
    carve(tmp_path, "t", "--task", "two")


def test_a_name_that_a_task_gives_to_a_file_of_its_own(tmp_path: Path) -> None:
    make(tmp_path, "in.h5")
    code = """
import h5py, os
os.symlink("in.h5", "current.h5")
h5py.File("in.h5")["x"][0], h5py.File("current.h5")["x"][0]
os.unlink("current.h5")
h5py.File("current.h5", "w")["y"] = [1]
"""
    run(tmp_path, code)
    carve(tmp_path, "t")


def test_raw_data_that_nobody_knows_and_that_was_moved_there_since(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("d", (100,), "i8", external=[(str(tmp_path / "d.raw"), 0, 800)])[:] = 1
    np.full(100, 7).tofile(tmp_path / "e.raw")
    for name in ("d.raw", "e.raw"):
        os.utime(tmp_path / name, (1, 1))
    code = "import h5py; h5py.File('in.h5')['d'][:]"
    record(tmp_path, sys.executable, "-c", code, options=("--no-files",))
    time.sleep(0.02)
    (tmp_path / "e.raw").rename(tmp_path / "d.raw")
    assert refused(tmp_path, "another file has taken its place")


def test_external_data_that_was_not_there_is_not_asked_for(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("d", (100,), "i8", external=[(str(tmp_path / "gone.raw"), 0, 800)])
        f["x"] = np.arange(100)
    code = """
import h5py
f = h5py.File("in.h5")
f["x"][0]
try: f["d"][0]
except OSError as failure: print(failure)
"""
    assert "external" in run(tmp_path, code).stdout
    assert len(carve(tmp_path, "t")["files"]) == 1
