"""Originals that were moved, changed or damaged since they were carved: which are read, and which are refused."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carved_runs import DATASETS, LOOK, make, natively, on_carved
from carving import run

from cli import QUARRY, compile_c, quarry


@pytest.mark.parametrize("is_there", (True, False))
@pytest.mark.parametrize("now", ("linked", "without link"))
def test_links_on_the_way_are_others_by_now(tmp_path: Path, now: str, is_there: bool) -> None:
    """A file may be seen elsewhere than it was carved from; that it is carved is not seen there."""
    disk, data = tmp_path / "disk", tmp_path / "data"
    (disk if now == "without link" else data).mkdir()
    if now == "without link":
        data.symlink_to(disk)
    make(data / "in.h5")
    run(tmp_path, "import h5py; f = h5py.File('data/in.h5'); f['used'][0]; f['partly'][0, 0]")
    options = ("--granularity", "chunk", "--no-verify")
    assert quarry("carve", "t", "-o", "small", *options, cwd=tmp_path).returncode == 0
    before = natively(tmp_path, LOOK, "data/in.h5", *DATASETS)
    used = natively(tmp_path, LOOK, "data/in.h5", "used")
    if now == "linked":
        data.rename(disk)
        data.symlink_to(disk)
    else:
        data.unlink()
        disk.rename(data)
    if is_there:
        done = on_carved(tmp_path, LOOK, "data/in.h5", *DATASETS, options=("--grow",))
        assert done.stdout == before and "holds it now" in done.stderr, done.stderr
    (data / "in.h5").unlink()
    seen = on_carved(tmp_path, LOOK, "data/in.h5", *(DATASETS if is_there else ("used",)))
    assert seen.stdout == (before if is_there else used), seen.stderr
    if not is_there:
        done = on_carved(tmp_path, LOOK, "data/in.h5", "words")
        assert done.returncode == 1 and "was left out by `quarry carve`" in done.stderr


def test_originals_that_were_moved(carved: Path) -> None:
    folder = carved.parent
    (folder / "archive").mkdir()
    carved.rename(folder / "archive/in.h5")
    program = "import h5py; print(h5py.File('in.h5')['gzip'][5].sum())"
    done = on_carved(folder, program, options=("--missing", f"{folder}={folder}/archive"))
    assert done.returncode == 0 and f"read from {folder}/archive/in.h5" in done.stderr
    done = on_carved(folder, program, options=("--missing", "./=archive/"))
    assert done.returncode == 0 and f"read from {folder}/archive/in.h5" in done.stderr
    for options, why in (
        (("--missing", "original"), f"{carved} cannot be read"),
        (("--missing", f"{folder}=/else"), "/else/in.h5 cannot be read"),
        (("--missing", "/nowhere=/else"), "No file in small was carved from below /nowhere,"),
        (("--missing", f"{str(folder)[:-1]}=/else"), f"from below {str(folder)[:-1]},"),
    ):
        done = on_carved(folder, "print('started')", options=options)
        assert done.returncode == 125 and why in done.stderr and not done.stdout
    for way, why in (
        ("sideways", "OLD=NEW"),
        (f"{folder}=", f"`{folder}=` lacks a directory"),
        ("=/else", "`=/else` lacks a directory"),
    ):
        done = on_carved(folder, program, options=("--missing", way))
        assert done.returncode == 2 and why in done.stderr, done.stderr


def test_originals_that_were_moved_to_several_places(tmp_path: Path) -> None:
    names = ("a.h5", "sub/a.h5", "sub/deep/a.h5")
    (tmp_path / "data/sub/deep").mkdir(parents=True)
    for name in names:
        make(tmp_path / "data" / name)
    program = f"""
import h5py, sys
for name in {names}: print(h5py.File("data/" + name)[sys.argv[1]][5].sum())
"""
    run(tmp_path, program, "used")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    (tmp_path / "data/sub").rename(tmp_path / "second")
    (tmp_path / "data").rename(tmp_path / "first")
    # The nearest directory counts, in whatever order they are given.
    maps = ("--missing", "data=first", "--missing", "data/sub=second")
    for options in (maps, maps[2:] + maps[:2]):
        done = on_carved(tmp_path, program, "gzip", options=options)
        assert done.returncode == 0, done.stderr
        for place in ("first/a.h5", "second/a.h5", "second/deep/a.h5"):
            assert f"was read from {tmp_path}/{place}." in done.stderr
    for more, why in (
        (("--missing", "error"), "--missing error cannot be given beside another --missing"),
        (("--missing", f"{tmp_path}/data=third"), f"two places for what was below {tmp_path}/data"),
        (("--missing", "nowhere=third"), f"was carved from below {tmp_path}/nowhere"),
        (("--missing", "data/sub/deep=third"), f"{tmp_path}/third/a.h5 cannot be read"),
    ):
        done = on_carved(tmp_path, program, "gzip", options=maps + more)
        assert done.returncode == 125 and why in done.stderr and not done.stdout, done.stderr


def change_size(file: Path) -> None:
    with file.open("ab") as f:
        f.write(b"more")


def change_headers(file: Path) -> None:
    before = file.stat()
    with h5py.File(file, "r+") as f:
        f["gzip"].attrs.modify("of", 2)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_data(file: Path) -> None:
    before = file.stat()
    with h5py.File(file, "r+", track_order=False) as f:
        f["contiguous"][5] = 0
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def touch(file: Path) -> None:
    os.utime(file)


@pytest.mark.parametrize(
    ("change", "options", "why", "advice"),
    (
        (Path.unlink, (), "No such file", "Say where the original is now"),
        (change_size, (), "its size is another", "Put the original back as it was"),
        (touch, (), "modified since", "--paranoid` tells by its data"),
        (change_headers, (), "its headers are others", "Put the original back as it was"),
        (change_data, ("--paranoid",), "its data is other data", "Put the original back as it was"),
    ),
)
def test_an_original_that_is_another_by_now_is_not_read(
    carved: Path, change, options, why, advice
) -> None:
    change(carved)
    program = "import h5py; h5py.File('in.h5')['gzip'][5]"
    done = on_carved(carved.parent, program, options=options)
    assert done.returncode == 1 and why in done.stderr, done.stderr
    (told,) = (line for line in done.stderr.splitlines() if "was left out" in line)
    assert advice in told and told.endswith(".")
    assert ("--missing OLD=NEW" in told) == (change == Path.unlink)
    if not options:
        failed = on_carved(carved.parent, program, options=("--missing", "error")).stderr
        assert "(--missing error). Leave that out, or carve again" in failed


def test_without_checksums_there_is_no_paranoia(tmp_path: Path) -> None:
    for name in ("a", "b", "whole"):
        make(tmp_path / f"{name}.h5")
    run(tmp_path, "import h5py; [h5py.File(f'{n}.h5')['used'][0] for n in ('a', 'b', 'whole')]")
    run(tmp_path, "open('whole.h5', 'rb').read()")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "print('started')", options=("--paranoid",))
    assert done.returncode == 125 and not done.stdout
    assert f"data in {tmp_path}/a.h5, {tmp_path}/b.h5 is what it was" in done.stderr
    assert "Carve again with --checksums" in done.stderr
    assert quarry("carve", "t", "-o", "small", "--checksums", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "print('started')", options=("--paranoid",))
    assert done.stdout == "started\n", done.stderr


def test_growing_from_an_original_that_is_another_by_now(carved: Path) -> None:
    program = "import h5py, pathlib; h5py.File('in.h5')['gzip'][5]; print(flush=True); input()"
    command = ("run", "--no-trace", "--carved", "small", "--grow", "--", sys.executable, "-c")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(
        [QUARRY, *command, program], cwd=carved.parent, text=True, **pipes
    ) as running:
        assert running.stdout.readline() == "\n"
        change_size(carved)
        _, told = running.communicate("\n")
    assert "its size is another. Put the original back as it was, or record and carve" in told


@pytest.mark.parametrize("opened", ("once", "again"))
def test_an_original_that_is_changed_meanwhile(carved: Path, opened: str) -> None:
    again = {"once": "", "again": "f = h5py.File('in.h5')"}[opened]
    program = f"""
import h5py
f = h5py.File("in.h5")
print(f["contiguous"][5, 0] == f["used"][5, 0] + 1, flush=True)
input()
{again}
for name in ("contiguous", "gzip"):
    try:
        print(f[name][5])
    except OSError:
        print("refused")
"""
    command = ("run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", program)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([QUARRY, *command], cwd=carved.parent, text=True, **pipes) as running:
        assert running.stdout.readline() == "True\n"
        change_data(carved)
        touch(carved)
        out, told = running.communicate("\n")
    assert out == "refused\nrefused\n" and "modified since" in told


def test_an_original_that_is_damaged_itself(tmp_path: Path) -> None:
    """The program is told so by HDF5, as it would be without Quarry."""
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        f["read"] = 1
        f.create_dataset("sum", data=np.arange(10_000.0), chunks=(1000,), fletcher32=True)
        place = f["sum"].id.get_chunk_info(5).byte_offset
    with file.open("r+b") as f:
        f.seek(place)
        f.write(b"damaged")
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
d = h5py.File("in.h5")["sum"]
for read in (lambda: d[:], lambda: d.astype("S3")[0], lambda: d[0]):
    try:
        print(read())
    except Exception as error:
        print(error)
"""
    done = on_carved(tmp_path, program)
    assert done.stdout == natively(tmp_path, program), done.stderr
    assert "from the original either" in done.stderr and "--missing" not in done.stderr


def test_a_copy_without_its_time_is_proved_by_its_data(carved: Path) -> None:
    touch(carved)
    program = "import h5py; h5py.File('in.h5')['gzip'][5]"
    assert on_carved(carved.parent, program, options=("--paranoid",)).returncode == 0
    done = quarry("carve", "t", "-o", "again", cwd=carved.parent)
    assert done.returncode == 1  # it has changed since it was traced


@pytest.mark.parametrize("old", ("year=2020", "link"))
def test_originals_are_elsewhere_by_now(tmp_path: Path, old: str) -> None:
    """Names may have the sign that a map has, and be those of links."""
    (tmp_path / "year=2020").mkdir()
    (tmp_path / "link").symlink_to("year=2020")
    make(tmp_path / "year=2020/in.h5")
    read = "import h5py; print(h5py.File('link/in.h5')['{}'][5])"
    run(tmp_path, read.format("used"))
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    before = natively(tmp_path, read.format("contiguous"))
    (tmp_path / "year=2020").rename(tmp_path / "archive")
    map_there = ("--missing", f"{tmp_path / old}={tmp_path}/archive")
    done = on_carved(tmp_path, read.format("contiguous"), options=map_there)
    assert done.stdout == before, done.stderr
    assert f"was read from {tmp_path}/archive/in.h5" in done.stderr


def test_two_libraries_need_the_same_original(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("x", 3000000)
        for name in ("a", "b"):
            f.createVariable(name, "f8", ("x",))[:] = np.arange(3000000)
        f.createVariable("used", "i4", ())[:] = 3
    run(tmp_path, "import h5py; h5py.File('in.nc')['used'][()]")
    words = ("--checksums", "--keep-below", "0")
    assert quarry("carve", "t", "-o", "small", *words, cwd=tmp_path).returncode == 0
    program = """
import h5py, netCDF4, threading
found, start = {}, threading.Barrier(2)
def by_h5py():
    with h5py.File("in.nc") as f:
        start.wait()
        found["a"] = f["a"][5:7].tolist()
def by_netcdf():
    with netCDF4.Dataset("in.nc") as f:
        start.wait()
        found["b"] = f["b"][5:7].tolist()
threads = [threading.Thread(target=one) for one in (by_h5py, by_netcdf)]
[one.start() for one in threads], [one.join() for one in threads]
print(sorted(found.items()))
"""
    done = on_carved(tmp_path, program, options=("--paranoid",))
    assert done.stdout == natively(tmp_path, program), done.stderr


# Has another file in the place of one while that is opened for the second time.
SWITCH = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static void exchange(void) {
    renameat2(AT_FDCWD, getenv("SWITCHED"), AT_FDCWD, getenv("OTHER"), RENAME_EXCHANGE);
}

static int switched(const char *which, const char *path, int flags, mode_t mode) {
    static int seen;
    const char *watched = getenv("SWITCHED");
    const int is_second = watched && strcmp(path, watched) == 0 && ++seen == 2;
    if (is_second) exchange();
    const int file = ((int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, which))(path, flags, mode);
    if (is_second) exchange();
    return file;
}

#define OPEN(name) \\
    int name(const char *path, int flags, ...) { \\
        va_list more; \\
        va_start(more, flags); \\
        const mode_t mode = va_arg(more, mode_t); \\
        va_end(more); \\
        return switched(#name, path, flags, mode); \\
    }
OPEN(open)
OPEN(open64)
"""


def test_another_file_is_there_just_when_the_original_is_opened(carved: Path) -> None:
    """The one that was looked at is the one that is read, or none is."""
    folder = carved.parent
    shutil.copy2(carved, folder / "other.h5")
    change_data(folder / "other.h5")
    touch(folder / "other.h5")
    (folder / "switch.c").write_text(SWITCH)
    compile_c("-shared", "-fPIC", "-o", folder / "switch.so", folder / "switch.c", "-ldl")
    program = f"""
import h5py, os
f = h5py.File("in.h5")
d, right = f["contiguous"], f["used"][5, 0] + 1
os.environ["SWITCHED"] = "{carved}"
for _ in range(3):
    try:
        print(d[5, 0] == right)
    except OSError:
        print("refused")
"""
    env = ("env", f"LD_PRELOAD={folder}/switch.so", f"OTHER={folder}/other.h5")
    command = ("--in-place", "--", *env, sys.executable, "-c", program)
    done = quarry("run", "--no-trace", "--carved", "small", *command, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) <= {"True", "refused"}, done.stdout


def test_an_original_that_somebody_has_locked(carved: Path) -> None:
    program = "import h5py; h5py.File('in.h5')['gzip'][5]"
    with carved.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = on_carved(carved.parent, program)
    assert done.returncode == 1
    (told,) = (line for line in done.stderr.splitlines() if "was left out" in line)
    assert f" {carved}: HDF5 does not open it: unable to lock file" in told
    assert "open for writing" in told


LATER = """
import h5py, os, resource, sys
f = h5py.File("in.h5")
d = f["contiguous"]
right = f["used"][5, 0] + 1
def attempt():
    try:
        print(d[5, 0] == right)
    except OSError:
        print("refused")
"""


def test_an_original_that_comes_back(carved: Path) -> None:
    aside = carved.parent / "aside.h5"
    program = f"""{LATER}
os.rename("{carved.parent}/there/in.h5", "{aside}")
attempt()
os.rename("{aside}", "{carved.parent}/there/in.h5")
attempt()
f.close()
f = h5py.File("in.h5")
print(f["gzip"][5, 0] == f["used"][5, 0] + 2)
"""
    (carved.parent / "there").mkdir()
    carved.rename(carved.parent / "there/in.h5")
    words = ("--missing", f"{carved.parent}={carved.parent}/there")
    done = on_carved(carved.parent, program, options=words)
    assert done.stdout == "refused\nTrue\nTrue\n", done.stderr
    assert "No such file" in done.stderr


def test_an_original_for_which_there_was_no_descriptor(carved: Path) -> None:
    program = f"""{LATER}
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True: taken.append(os.open("/dev/null", 0))
except OSError:
    attempt()
for file in taken: os.close(file)
attempt()
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == "refused\nTrue\n", done.stderr
    assert "Too many open files" in done.stderr and "`ulimit -n`" in done.stderr


@pytest.mark.parametrize("asked_by", ("reading", "growing"))
def test_an_original_that_is_a_pipe_by_now(carved: Path, asked_by: str) -> None:
    """Which nobody writes to."""
    opened, read = "import h5py; d = h5py.File('in.h5')['gzip']", "d[5]"
    wait = "print(flush=True); input()"
    program = "\n".join(
        {"reading": (opened, wait, read), "growing": (opened, read, wait)}[asked_by]
    )
    command = ("run", "--no-trace", "--carved", "small", "--grow", "--", sys.executable, "-c")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(
        [QUARRY, *command, program], cwd=carved.parent, text=True, **pipes
    ) as running:
        assert running.stdout.readline() == "\n"
        carved.unlink()
        os.mkfifo(carved)
        _, told = running.communicate("\n", timeout=60)
    assert "it is no ordinary file. Put the original back as it was" in told
