"""Which files and which data carving takes for used."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import h5py
import pytest
from carving import carve, copy_of, run

from cli import QUARRY, quarry


@pytest.mark.parametrize("driver", ["family", "split"])
def test_a_file_in_several_parts_is_named_so(tmp_path: Path, driver: str) -> None:
    name = "part%d.h5" if driver == "family" else "two"
    with h5py.File(tmp_path / name, "w", driver=driver) as f:
        f["x"] = range(10)
    run(tmp_path, f"import h5py; h5py.File('{name}', driver='{driver}')['x'][0]")
    done = quarry("carve", "-o", "small", "t", cwd=tmp_path)
    assert done.returncode == 1
    assert f"Not carved: {tmp_path / name}: HDF5 has spread it over several files" in done.stdout


def test_a_file_that_was_written_to_is_named(rich: Path) -> None:
    folder = rich.parent
    shutil.copy(rich, folder / "other.h5")
    time.sleep(0.01)
    run(
        folder,
        "import h5py; h5py.File('in.h5')['mu'][0]; f = h5py.File('other.h5', 'r+'); f['mu'][0] = 1",
    )
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 1
    assert f"Not carved: {folder}/other.h5: the tasks have written to it" in done.stdout
    assert copy_of(rich).exists() and not copy_of(folder / "other.h5").exists()

    # Alone, there is nothing to be carved, and no directory.
    done = quarry("carve", "-o", "none", "t", "--file", "*/other.h5", cwd=folder)
    assert done.returncode == 1 and "Nothing has been written" in done.stdout
    assert not (folder / "none").exists()


@pytest.mark.parametrize("what", ("mu", "group", "/"))
def test_what_is_copied_was_read(rich: Path, what: str) -> None:
    """Also with the originals away, the program that was recorded makes the same copy."""
    with h5py.File(rich, "r+") as f:
        f["group/inner/zeta"] = f["zeta"]
    code = f"""
import h5py
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    f.copy("{what}", g, "copy")
    g.visititems(lambda name, one: print(name, one, one[:5]) if isinstance(one, h5py.Dataset) else None)
"""
    before = run(rich.parent, code).stdout
    (fate,) = carve(rich.parent, "t")["files"]
    left_out = {path for one in fate["datasets"] if not one["kept"] for path in one["paths"]}
    assert ("/gzip" in left_out) == (what != "/")
    rich.rename(rich.parent / "away.h5")
    command = ("--carved", "small", "--", sys.executable, "-c", code)
    done = quarry("run", "--no-trace", *command, cwd=rich.parent)
    assert done.stdout == before, done.stderr


def test_a_file_is_found_by_all_its_names(rich: Path) -> None:
    (rich.parent / "hard.h5").hardlink_to(rich)
    code = "import h5py; print(h5py.File('in.h5')['mu'][0, 0], h5py.File('hard.h5')['zeta'][0, 0])"
    before = run(rich.parent, code).stdout
    carve(rich.parent, "t")
    rich.unlink()
    (rich.parent / "hard.h5").unlink()
    command = ("--carved", "small", "--", sys.executable, "-c", code)
    assert quarry("run", "--no-trace", *command, cwd=rich.parent).stdout == before


def test_a_file_with_several_names_is_one_file(rich: Path) -> None:
    """Also where it may be written to, and where all of the links are gone."""
    folder = rich.parent
    (folder / "hard.h5").hardlink_to(rich)
    (folder / "soft.h5").symlink_to(rich)
    names = ("in.h5", "hard.h5", "soft.h5")
    run(folder, f"import h5py; [h5py.File(name)['mu'][0, 0] for name in {names}]")
    assert len(carve(folder, "t")["files"]) == 1
    for name in names:
        (folder / name).unlink()
    code = f"""
import h5py
with h5py.File("hard.h5", "r+") as f: f["mu"][0, 0] = 99
print([h5py.File(name)["mu"][0, 0] for name in {names}])
"""
    on_carved = ("--carved", "small", "--writes", "copy", "--")
    done = quarry("run", "--no-trace", *on_carved, sys.executable, "-c", code, cwd=folder)
    assert "99" in done.stdout and done.stdout.count("99") == 3, done.stdout + done.stderr


@pytest.mark.parametrize(
    "first, name",
    (
        ("fd = os.open('in.h5', 0)", "f'/dev/fd/{fd}'"),
        ("fd = os.open('in.h5', 0)", "f'/proc/self/fd/{fd}'"),
        ("", "f'/proc/{os.getpid()}/cwd/in.h5'"),
    ),
    ids=("dev", "proc", "directory"),
)
def test_a_file_that_was_opened_by_a_name_of_the_process(rich: Path, first: str, name: str) -> None:
    folder = rich.parent
    code = f"""
import h5py, os
{first}
print(h5py.File({name})["gzip"][3].sum())
print(h5py.File("in.h5")["mu"][3].sum())
"""
    before = run(folder, code).stdout
    carve(folder, "t", "--granularity", "chunk")
    command = ("--carved", "small", "--", sys.executable, "-c", code)
    done = quarry("run", "--no-trace", *command, cwd=folder)
    assert done.stdout == before, done.stderr
    rich.rename(folder / "away.h5")
    done = quarry("run", "--no-trace", *command, cwd=folder)
    assert done.stdout == before, done.stderr


STAGES = """
import h5py, os, shutil
os.makedirs("work/stage")
for name in ("in.h5", "other.h5"):
    print(h5py.File(name)["mu"][3].sum())
    {make}
    print(h5py.File("work/stage/now.h5")["gzip"][3].sum())
    os.unlink("work/stage/now.h5")
shutil.rmtree("work")
"""


@pytest.mark.parametrize(
    "make, away",
    (
        ("os.symlink(os.path.abspath(name), 'work/stage/now.h5')", False),
        ("os.symlink(os.path.abspath(name), 'work/stage/now.h5')", True),
        ("os.link(name, 'work/stage/now.h5')", False),
    ),
    ids=("link", "link, originals away", "hard link"),
)
def test_names_that_a_program_makes_for_a_while(rich: Path, make: str, away: bool) -> None:
    folder = rich.parent
    shutil.copy(rich, folder / "other.h5")
    code = STAGES.format(make=make)
    before = run(folder, code).stdout
    done = quarry("carve", "t", "-o", "small", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"also opened as {folder}/work/stage/now.h5, where nothing is any more" in done.stderr
    if make.startswith("os.link"):
        code = code.replace("os.link(name", "os.symlink(os.path.abspath(name)")
    for name in ("in.h5", "other.h5") if away else ():
        (folder / name).rename(folder / f"away-{name}")
    command = ("--carved", "small", "--", sys.executable, "-c", code)
    done = quarry("run", "--no-trace", *command, cwd=folder)
    assert done.stdout == before, done.stderr
    assert not (folder / "work").exists()


def test_a_file_is_found_although_its_first_name_is_gone(rich: Path) -> None:
    folder = rich.parent
    run(
        folder,
        "import h5py, os; os.symlink('in.h5', 'tmp.h5'); h5py.File('tmp.h5')['mu'][0]; "
        "os.unlink('tmp.h5'); h5py.File('in.h5')['mu'][0]",
    )
    (fate,) = carve(folder, "t")["files"]
    assert fate["original"] == str(rich)


def test_a_file_that_was_read_and_then_made_anew_is_named(rich: Path) -> None:
    folder = rich.parent
    run(
        folder,
        """
import h5py
first = h5py.File('in.h5')['mu'][0]
for name in ('in.h5', 'own.h5'):
    with h5py.File(name, 'w') as f: f['mu'] = first
h5py.File('own.h5')['mu'][0]
""",
    )
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 1
    assert f"Not carved: {rich}: the tasks have written to it" in done.stdout
    assert "own.h5" not in done.stdout + done.stderr


IN_MEMORY = """
import h5py, sys
def in_memory(mode): return h5py.File('in.h5', mode, driver='core', backing_store=False)
"""


def test_a_file_made_in_memory_is_not_the_one_of_its_name(rich: Path) -> None:
    code = IN_MEMORY + "f = in_memory('w'); f['mu'] = [1, 2, 3]; f.close()\n"
    run(rich.parent, code + "print(h5py.File('in.h5')['mu'][3].sum())")
    (fate,) = carve(rich.parent, "t")["files"]
    assert fate["original"] == str(rich) and not fate["problem"]
    kept = {path for one in fate["datasets"] if one["kept"] for path in one["paths"]}
    assert "/mu" in kept and "/gzip" not in kept
    done = quarry("pack", "t", "-o", "a.tar", "--dry-run", "--json", cwd=rich.parent)
    assert json.loads(done.stdout)["outputs"] == [], done.stderr


def test_what_is_changed_in_memory_only_was_read(rich: Path) -> None:
    folder = rich.parent
    code = (
        IN_MEMORY
        + "f = in_memory('r+'); f['mu'][0] = 5; f['new'] = [1]; print(f['mu'][...].sum()); f.close()"
        + "\nprint(h5py.File('in.h5')['mu'][0].sum())"
    )
    before = run(folder, code).stdout
    (fate,) = carve(folder, "t")["files"]
    assert not fate["problem"] and not fate["why_whole"]
    rich.rename(folder / "away.h5")
    command = ("--carved", "small", "--writes", "copy", "--", sys.executable, "-c", code)
    done = quarry("run", "--no-trace", *command, cwd=folder)
    assert done.stdout == before, done.stderr


def test_files_that_were_only_listed_are_told_of(rich: Path) -> None:
    folder = rich.parent
    run(
        folder,
        "import h5py; v = h5py.File('in.h5')['mu'][0]; h5py.File('out.h5', 'w')['mu'] = v",
    )
    assert "more files" not in quarry("carve", "-o", "small", "t", cwd=folder).stderr
    shutil.copy(rich, folder / "unread.h5")
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 0 and f"more files in {folder}, which nobody read" in done.stderr


def test_programs_that_could_not_be_seen_are_named(rich: Path) -> None:
    code = "import h5py, subprocess, sys; h5py.File('in.h5')['mu'][0]; subprocess.run([sys.executable, '-c', ''], env={})"
    run(rich.parent, code)
    done = quarry("carve", "t", "-o", "small", cwd=rich.parent)
    assert f"what {sys.executable} read could not be recorded" in done.stderr


@pytest.mark.parametrize(
    "end",
    (
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
        pytest.param("os.setuid(65534)", marks=pytest.mark.skipif(os.getuid() != 0, reason="root")),
        pytest.param(
            "os.chroot('/proc')", marks=pytest.mark.skipif(os.getuid() != 0, reason="root")
        ),
    ),
)
def test_programs_that_cannot_open_files_at_their_end_are_recorded_whole(
    rich: Path, end: str
) -> None:
    run(rich.parent, f"import h5py, os, resource; h5py.File('in.h5')['mu'][0]; {end}")
    done = quarry("carve", "t", "-o", "small", cwd=rich.parent)
    assert done.returncode == 0, done.stderr


def test_programs_that_read_on_are_named(rich: Path) -> None:
    """What they read later is not in the trace yet."""
    code = "import h5py; h5py.File('in.h5')['mu'][0]; print(flush=True); input()"
    words = ("run", "--trace", "t", "--task", "slow", "--", sys.executable, "-c", code)
    with subprocess.Popen(
        [QUARRY, *words], cwd=rich.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        running.stdout.readline()
        done = quarry("carve", "t", "-o", "small", cwd=rich.parent)
        running.communicate("\n")
    assert done.returncode == 0 and "not ended yet: slow (process " in done.stderr
    assert "not ended" not in quarry("carve", "t", "-o", "small", cwd=rich.parent).stderr


READ_AS_BYTES = {
    "read": "open('in.h5', 'rb').read()",
    "in pieces": "f = open('in.h5', 'rb', 0); f.read(100); f.read(100)",
    "a range": "import os; os.pread(os.open('in.h5', 0), 100, 5000)",
    "a range after seeking": "f = open('in.h5', 'rb', 0); f.seek(5000); f.read(100)",
    "a range by a stream of C": "import numpy; numpy.fromfile('in.h5', count=9, offset=5000)",
    "a range that is sent": "import os; os.sendfile(os.open('o', 66), os.open('in.h5', 0), 5000, 9)",
    "mapped": "import mmap; f = open('in.h5', 'rb'); mmap.mmap(f.fileno(), 0, prot=1)[500000]",
    "copied": "import shutil; shutil.copyfile('in.h5', 'copy')",
    "as an image": "h5py.File('in.h5').id.get_file_image()",
    "by HDF5's handle": "f = h5py.File('in.h5'); f.id.get_vfd_handle()",
    "by cp": "import subprocess; subprocess.run(['cp', 'in.h5', 'copy'], check=True)",
    "by md5sum": "import subprocess; subprocess.run(['md5sum', 'in.h5'], check=True)",
    "by cat": "import subprocess; subprocess.run('cat < in.h5 > copy', shell=True, check=True)",
    "from the middle of the input": "import subprocess; f = open('in.h5', 'rb', 0); f.read(9)\n"
    "subprocess.run(['cksum'], stdin=f, check=True)",
}
# By streams of C, of which only the position is known, and when they are closed.
STREAM = """
import ctypes, os
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
f = ctypes.c_void_p(c.fopen(b'in.h5', b'rb'))
read = lambda: c.fread(ctypes.create_string_buffer(1000000), 1, 1000000, f)
"""
READ_AS_BYTES |= {
    "by a stream that is left open": STREAM + "read(); os._exit(0)",
    "by a stream, in many calls": STREAM + "[c.fgetc(f) for _ in range(100000)]; c.fclose(f)",
    "by a stream, after a call": STREAM + "os.read(c.fileno(f), 9); read(); c.fclose(f)",
}


@pytest.mark.parametrize("way", READ_AS_BYTES)
def test_a_file_that_was_read_as_bytes_is_copied_whole(rich: Path, way: str) -> None:
    run(rich.parent, f"import h5py; h5py.File('in.h5')['mu'][0]\n{READ_AS_BYTES[way]}")
    (fate,) = carve(rich.parent, "t")["files"]
    assert "read without HDF5" in fate["why_whole"]
    assert copy_of(rich).read_bytes() == rich.read_bytes()
    (planned,) = carve(rich.parent, "t", "--dry-run")["files"]
    assert planned["why_whole"] == fate["why_whole"]


# File systems that can do it are rarely those of temporary files.
CLONED = "int ioctl(int file, unsigned long request, ...) { return 0; }"
CLONES = """
#include <fcntl.h>
#include <linux/fs.h>
int ioctl(int file, unsigned long request, ...);
int main(void) { return ioctl(open("copy", O_CREAT | O_WRONLY, 0600), FICLONE, open("in.h5", 0)); }
"""


def test_a_file_that_was_cloned_is_copied_whole(rich: Path) -> None:
    folder = rich.parent
    for name, code, words in (
        ("libcloned.so", CLONED, ("-shared", "-fPIC")),
        ("clone", CLONES, ("-L.", "-Wl,-rpath,$ORIGIN", "-lcloned")),
    ):
        source = folder / f"{name}.c"
        source.write_text(code)
        subprocess.run(["cc", "-o", name, source.name, *words], cwd=folder, check=True)
    run(
        folder,
        "import h5py, subprocess; h5py.File('in.h5')['mu'][0]; subprocess.run('./clone', check=True)",
    )
    (fate,) = carve(folder, "t")["files"]
    assert "read without HDF5" in fate["why_whole"]


def test_to_look_at_the_first_bytes_is_not_to_read_a_file(rich: Path) -> None:
    looks = (
        "import h5py, numpy, os; open('in.h5', 'rb').read(8); os.pread(os.open('in.h5', 0), 8, 0)\n"
        "f = open('in.h5', 'rb', 0); f.seek(0, 2); f.seek(0); f.read(8)\n"
        "numpy.fromfile('in.h5', count=8); h5py.File('in.h5')['mu'][0]\n"
    )
    run(rich.parent, f"{looks}{STREAM}c.fread(ctypes.create_string_buffer(8), 1, 8, f)")
    (fate,) = carve(rich.parent, "t")["files"]
    assert not fate["why_whole"] and copy_of(rich).stat().st_size < rich.stat().st_size


def test_what_hdf5_has_opened_is_its_own_in_a_child(rich: Path) -> None:
    code = """
import h5py, os
f = h5py.File("in.h5")
if os.fork() == 0:
    f["mu"][0], f["gzip"][0]
    os._exit(0)
os.wait()
"""
    run(rich.parent, code)
    (fate,) = carve(rich.parent, "t")["files"]
    assert not fate["why_whole"]
    kept = {path for one in fate["datasets"] if one["kept"] for path in one["paths"]}
    assert {"/mu", "/gzip"} <= kept and "/typed" not in kept


ONION = """
import ctypes, h5py, sys
from carving import hdf5
class Settings(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint8), ("below", ctypes.c_int64), ("page", ctypes.c_uint32),
                ("target", ctypes.c_int), ("revision", ctypes.c_uint64), ("force", ctypes.c_uint8),
                ("flags", ctypes.c_uint8), ("comment", ctypes.c_char * 256)]
below, access = h5py.h5p.create(h5py.h5p.FILE_ACCESS), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
settings = Settings(1, below.id, 64, 0, 2**64 - 1)
hdf5("H5Pset_fapl_onion", access.id, ctypes.byref(settings))
"""


def test_a_file_with_revisions_beside_it_is_copied_whole(rich: Path) -> None:
    """HDF5 puts them over the bytes of the file, at addresses that a carved one has for others."""
    folder = rich.parent
    env = {"PYTHONPATH": str(Path(__file__).parent)}
    change = "h5py.File(h5py.h5f.open(b'in.h5', h5py.h5f.ACC_RDWR, access))['mu'][3] = 7"
    read = "print(h5py.File(h5py.h5f.open(b'in.h5', 0, access))['mu'][2:5].sum())"
    words = (sys.executable, "-c", ONION + change)
    subprocess.run(words, cwd=folder, env=os.environ | env, check=True)
    program = ("--", sys.executable, "-c", ONION + read)
    first = quarry("run", "--trace", "t", *program, cwd=folder, env=env)
    assert first.returncode == 0 and float(first.stdout) > 700, first.stderr
    (fate,) = carve(folder, "t")["files"]
    assert fate["why_whole"].endswith(": onion")
    words = ("run", "--no-trace", "--carved", "small", *program)
    assert quarry(*words, cwd=folder, env=env).stdout == first.stdout


@pytest.mark.parametrize("how", ((), ("--in-place",), ("--writes", "copy")), ids=str)
def test_a_trace_of_carved_data_is_told_so(rich: Path, how: tuple) -> None:
    folder = rich.parent
    shutil.copy(rich, folder / "other.h5")
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]")
    carve(folder, "t")
    mode = "r+" if "--writes" in how else "r"
    code = (
        f"import h5py; h5py.File('in.h5', '{mode}')['mu'][0]; h5py.File('other.h5')['mu'][0]\n"
        f"if '{mode}' == 'r+': h5py.File('in.h5', 'r+')['mu'][0] = 1"
    )
    words = ("--carved", "small", *how, "--", sys.executable, "-c", code)
    assert quarry("run", "--trace", "again", *words, cwd=folder).returncode == 0
    done = quarry("carve", "again", "-o", "smaller", cwd=folder)
    assert done.returncode == 1
    assert f"Not carved: {rich}: what was recorded is a carved copy" in done.stdout
    done = quarry("carve", "again", "-o", "smaller", "--file", "other.h5", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "smaller" / (folder / "other.h5").relative_to("/")).exists()


LINK_BY_ANOTHER_DRIVER = """
import ctypes, h5py
from carving import hdf5
def choose(of_file, of_group, file, path, flags, access, data):
    return hdf5("H5Pset_fapl_stdio", access)
text, flags = ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint)
Choice = ctypes.CFUNCTYPE(
    ctypes.c_int, text, text, text, text, flags, ctypes.c_int64, ctypes.c_void_p
)
choice = Choice(choose)
access = h5py.h5p.create(h5py.h5p.LINK_ACCESS)
hdf5("H5Pset_elink_cb", access.id, choice, None)
link = h5py.h5o.open(h5py.File("in.h5").id, b"out", access)
print(h5py.Dataset(link)[3].sum())
"""


def test_a_link_for_which_the_program_chooses_a_driver(rich: Path) -> None:
    folder = rich.parent
    shutil.copy(rich, folder / "other.h5")
    with h5py.File(rich, "r+") as f:
        f["out"] = h5py.ExternalLink("other.h5", "mu")
    env = {"PYTHONPATH": str(Path(__file__).parent)}
    program = ("--", sys.executable, "-c", LINK_BY_ANOTHER_DRIVER)
    first = quarry("run", "--trace", "t", *program, cwd=folder, env=env)
    assert first.returncode == 0, first.stderr
    fates = {Path(one["original"]).name: one for one in carve(folder, "t")["files"]}
    assert fates["other.h5"]["why_whole"].endswith(": unknown")
    for name in ("in.h5", "other.h5"):
        (folder / name).rename(folder / f"away-{name}")
    done = quarry("run", "--no-trace", "--carved", "small", *program, cwd=folder, env=env)
    assert done.stdout == first.stdout, done.stderr


def test_files_in_memory_are_named_and_the_others_carved(rich: Path) -> None:
    with h5py.File(rich.parent / "other.h5", "w") as f:
        f["x"] = [1.5]
    code = (
        "import h5py, io; h5py.File('in.h5')['mu'][0]\n"
        "data = open('other.h5', 'rb').read(); h5py.File(io.BytesIO(data))['x'][0]\n"
        "h5py.File(open('other.h5', 'rb'))['x'][0]\n"
    )
    run(rich.parent, code)
    done = quarry("carve", "-o", "small", "--json", "t", cwd=rich.parent)
    assert done.returncode == 1, done.stderr
    carved, *others = json.loads(done.stdout)["files"]
    assert not carved["problem"] and copy_of(rich).stat().st_size < rich.stat().st_size
    assert len(others) == 2 and all("no file of its own" in one["problem"] for one in others)


def test_traces_of_one_file_by_several_paths_add_up(rich: Path) -> None:
    (rich.parent / "link.h5").symlink_to("in.h5")
    run(rich.parent, "import h5py; h5py.File('in.h5')['mu'][0]", trace="a")
    run(rich.parent, "import h5py; h5py.File('link.h5')['gzip'][0]", trace="b")
    (fate,) = carve(rich.parent, "a", "b")["files"]
    kept = {path for one in fate["datasets"] if one["kept"] for path in one["paths"]}
    assert {"/mu", "/gzip"} <= kept


@pytest.mark.parametrize("options", (("--level", "accesses"), ("--max-size", "64K")))
def test_a_trace_that_does_not_tell_everything_is_refused(rich: Path, options: tuple) -> None:
    program = "import h5py; f = h5py.File('in.h5'); [f['mu'][0] for i in range(5000)]"
    words = ("run", "--trace", "t", *options, "--", sys.executable, "-c", program)
    assert quarry(*words, cwd=rich.parent).returncode == 0
    done = quarry("carve", "t", "-o", "small", cwd=rich.parent)
    assert done.returncode == 125 and not (rich.parent / "small").exists()
    assert "does not tell all that was read" in done.stderr and ". Record again." in done.stderr
