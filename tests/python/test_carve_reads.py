"""What is kept is what was read, in whatever way: the recorded program runs on its carved data."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import carve, run

from cli import quarry, record

VALUES = np.arange(20000.0)


def make(path: Path, **more: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as f:
        for name in ("x", "y", "z"):
            f[name] = VALUES + more.get(name, 0)
    return path


def repeated(folder: Path, code: str, *, words: tuple = (), options: tuple = (), away: tuple = ()):
    """What a program prints on what was carved of it, with its inputs away."""
    done = record(folder, sys.executable, "-c", code, options=options)
    carved = quarry("carve", "t", "-o", "small", *words, cwd=folder)
    assert carved.returncode == 0, carved.stdout + carved.stderr
    for path in away:
        (folder / path).unlink()
    again = quarry(
        "run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", code, cwd=folder
    )
    assert (again.stdout, again.returncode) == (done.stdout, 0), again.stderr
    return carved


REFERS = """
import h5py
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    f.copy("{}", g, "copy", {})
    found = []
    def look(name, one):
        if isinstance(one, h5py.Dataset) and one.size > 5: found.append(str(one[5]))
    g.visititems(look)
    print(sorted(found))
"""


@pytest.mark.parametrize(
    "what,how",
    (
        ("small", "expand_refs=True"),
        ("g", "expand_refs=True"),
        ("g", "expand_soft=True"),
        ("g", "shallow=True"),
    ),
)
def test_copies_reach_what_they_lead_to(tmp_path: Path, what: str, how: str) -> None:
    with h5py.File(make(tmp_path / "in.h5"), "a") as f:
        f["far/away"] = VALUES + 1
        f["small"] = 1
        f["small"].attrs["of"] = f["far"].ref
        f["g/refers"] = np.array([f["far"].ref], h5py.ref_dtype)
        f["g/soft"] = h5py.SoftLink("/y")
        f["g/a/deep"] = VALUES + 2
        f["g/z"] = f["g/a/deep"]
    repeated(tmp_path, REFERS.format(what, how), away=("in.h5",))


def test_copies_of_references_are_made_of_the_original_or_not_at_all(tmp_path: Path) -> None:
    with h5py.File(make(tmp_path / "in.h5"), "a") as f:
        f["far/away"] = VALUES + 1
        f["x"].attrs["of"] = f["far"].ref
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    command = ("run", "--no-trace", "--carved", "small", "--", sys.executable, "-c")
    program = REFERS.format("x", "expand_refs=True")
    assert quarry(*command, program, cwd=tmp_path).stdout == "['5.0', '6.0']\n"
    (tmp_path / "in.h5").rename(tmp_path / "away.h5")
    done = quarry(*command, program, cwd=tmp_path)
    assert done.returncode == 1 and "cannot be copied without its original" in done.stderr


def test_copies_of_what_was_left_out_are_refused_where_its_file_is_not_known(
    tmp_path: Path,
) -> None:
    make(tmp_path / "in.h5")
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = "import h5py; h5py.File(open('in.h5', 'rb')).copy('y', h5py.File('out.h5', 'w'))"
    command = ("run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", program)
    done = quarry(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert "y cannot be copied: data of it was left out by `quarry carve`" in done.stderr


@pytest.mark.parametrize(
    "program",
    (
        "import h5py; f = h5py.File('in.h5'); print(h5py.h5ds and f['c'].id.read_direct_chunk((0,))[1][:9])",
        "import h5py; f, g = h5py.File('in.h5'), h5py.File('out.h5', 'w'); f.copy('c', g); print(g['c'][7])",
        "import h5py, hashlib; print(hashlib.md5(h5py.File('in.h5').id.get_file_image()).digest())",
    ),
    ids=("chunk", "copy", "image"),
)
def test_what_is_read_under_another_connector(tmp_path: Path, program: str) -> None:
    """What only HDF5's own offers passes through."""
    with h5py.File(make(tmp_path / "in.h5"), "a") as f:
        f.create_dataset("c", data=VALUES, chunks=(10000,))
    options = ("--under", "pass_through under_vol=0;under_info={}")
    repeated(tmp_path, program, options=options, away=("in.h5",))


STEPS = """
import os, h5py
os.environ["QUARRY_TASK"] = "one"
f = h5py.File("a.h5"); f["x"][0]
os.environ["QUARRY_TASK"] = "two"
print(f["y"][3], h5py.File("b.h5")["x"][3])
"""


def test_a_step_reads_files_that_were_opened_before_it(tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        make(tmp_path / name)
    run(tmp_path, STEPS)
    assert quarry("carve", "t", "-o", "small", "--task", "two", cwd=tmp_path).returncode == 0
    for name in ("a.h5", "b.h5"):
        with h5py.File(tmp_path / "small" / (tmp_path / name).relative_to("/")) as f:
            assert f["y" if name == "a.h5" else "x"][3] == 3


@pytest.mark.parametrize(
    "before, within",
    (
        ("fd = os.open('a.h5', 0)", "os.pread(fd, 100, 5000); f['y'][3]"),
        ("m = mmap.mmap(os.open('a.h5', 0), 0, prot=1)", "m[5000:5100]; f['y'][3]"),
        ("f.id.get_vfd_handle()", "f['y'][3]"),
        ("f.id.get_vfd_handle()", "os.fork() == 0 and (f['y'][3], os._exit(0)); os.wait()"),
    ),
    ids=("descriptor", "mapped", "handle of HDF5", "child"),
)
def test_a_step_reads_bytes_of_files_that_were_opened_before_it(
    tmp_path: Path, before: str, within: str
) -> None:
    make(tmp_path / "a.h5")
    program = f"""
import os, h5py, mmap
f = h5py.File("a.h5")
os.environ["QUARRY_TASK"] = "one"
{before}
f["x"][0]
os.environ["QUARRY_TASK"] = "two"
{within}
"""
    run(tmp_path, program)
    (fate,) = carve(tmp_path, "t", "--task", "two")["files"]
    assert "read without HDF5" in fate["why_whole"]


def test_a_step_that_only_reads_chunks_as_they_are_stored(tmp_path: Path) -> None:
    with h5py.File(make(tmp_path / "in.h5"), "a") as f:
        f.create_dataset("c", data=VALUES, chunks=(10000,))
    run(
        tmp_path,
        "import os, h5py; d = h5py.File('in.h5')['c'].id; os.environ['QUARRY_TASK'] = 'chunks'; "
        "d.read_direct_chunk((0,))",
    )
    done = quarry("carve", "t", "-o", "small", "--task", "chunks", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_files_that_were_made_without_hdf5_are_no_inputs(tmp_path: Path) -> None:
    make(tmp_path / "in.h5")
    repeated(
        tmp_path,
        "import shutil, h5py; h5py.File('in.h5')['x'][0]; shutil.copyfile('in.h5', 'work.h5'); "
        "print(h5py.File('work.h5')['x'][3])",
    )
    assert not (tmp_path / "small" / (tmp_path / "work.h5").relative_to("/")).exists()


def test_what_another_trace_has_made_is_no_input(tmp_path: Path) -> None:
    make(tmp_path / "in.h5")
    first = "import h5py; h5py.File('mid.h5', 'w')['m'] = h5py.File('in.h5')['x'][...]"
    run(tmp_path, first, trace="one")
    run(tmp_path, "import h5py; h5py.File('mid.h5')['m'][0]", trace="two")
    found = carve(tmp_path, "one", "two")
    assert [Path(file["original"]).name for file in found["files"]] == ["in.h5"]


def test_a_link_that_leads_to_another_file_since(tmp_path: Path) -> None:
    """Of the same size and age, as files of an archive may be."""
    for name in ("one.h5", "two.h5"):
        make(tmp_path / name, x=float(name == "two.h5"))
        os.utime(tmp_path / name, (10**9, 10**9))
    (tmp_path / "now.h5").symlink_to("one.h5")
    run(tmp_path, "import h5py; h5py.File('now.h5')['x'][0]")
    (tmp_path / "now.h5").unlink()
    (tmp_path / "now.h5").symlink_to("two.h5")
    done = quarry("carve", "t", "-o", "small", cwd=tmp_path)
    assert done.returncode == 1 and "another file has taken its place" in done.stdout


@pytest.mark.parametrize("name", ("tas.so.1990.nc", "site-packages/a.h5"))
def test_names_as_of_parts_of_programs(tmp_path: Path, name: str) -> None:
    make(tmp_path / name)
    program = (
        "import h5py, hashlib; h5py.File({0!r})['x'][0]; "
        "print(hashlib.md5(open({0!r}, 'rb').read()).hexdigest())"
    )
    carved = repeated(tmp_path, program.format(name), away=(name,))
    assert "Copied whole" in carved.stdout


def test_a_child_that_began_before_its_parent_by_the_clock(tmp_path: Path) -> None:
    """Its reads are by handles that only the file of its parent explains."""
    make(tmp_path / "in.h5")
    program = """
import os, h5py
d = h5py.File("in.h5")["y"]
d[0]
if os.fork() == 0:
    print(d[3], h5py.File("in.h5")["x"][3], flush=True)
    os._exit(0)
os.wait()
"""
    run(tmp_path, program)
    parent, child = sorted((tmp_path / "t").glob("*.qtrace"))
    child.rename(child.with_name("0" + child.name))
    found = quarry("carve", "t", "-o", "small", "--json", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    with h5py.File(tmp_path / "small" / (tmp_path / "in.h5").relative_to("/")) as f:
        assert f["x"][3] == f["y"][3] == 3
    parent.unlink()
    alone = quarry("carve", "t", "-o", "again", cwd=tmp_path)
    assert alone.returncode == 125 and "the process that it was forked from" in alone.stderr


def test_sources_by_a_prefix_where_another_has_their_name(tmp_path: Path) -> None:
    for place, more in (("s.h5", 0.0), ("sub/s.h5", 5.0)):
        make(tmp_path / place, x=more)
    with h5py.File(tmp_path / "v.h5", "w") as f:
        layout = h5py.VirtualLayout(VALUES.shape, "f8")
        layout[:] = h5py.VirtualSource("s.h5", "x", VALUES.shape)
        f.create_virtual_dataset("v", layout)
    program = """
import os
os.environ["HDF5_VDS_PREFIX"] = "sub"
import h5py
print(h5py.File("s.h5")["y"][1], h5py.File("sub/s.h5")["y"][1], h5py.File("v.h5")["v"][1])
"""
    repeated(tmp_path, program, away=("s.h5", "sub/s.h5", "v.h5"))


@pytest.mark.parametrize("has_another", (False, True))
def test_external_data_beside_where_the_program_has_gone(tmp_path: Path, has_another: bool) -> None:
    (tmp_path / "data").mkdir()
    (VALUES + 3).tofile(tmp_path / "data/raw.bin")
    if has_another:
        VALUES.tofile(tmp_path / "raw.bin")
    with h5py.File(tmp_path / "data/in.h5", "w") as f:
        f.create_dataset("e", VALUES.shape, "f8", external=[("raw.bin", 0, VALUES.nbytes)])
    program = "import os, h5py; os.chdir('data'); print(h5py.File('in.h5')['e'][1])"
    repeated(tmp_path, program, away=("data/in.h5", "data/raw.bin"))


def test_lengths_of_values_are_read(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("words", data=["a" * i for i in range(9000)], dtype=h5py.string_dtype())
        f["x"] = VALUES
    program = """
import ctypes, h5py
f = h5py.File("in.h5")
library = ctypes.CDLL([line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line][0])
size, one = ctypes.c_uint64(), f["words"].id
library.H5Dvlen_get_buf_size(
    *(ctypes.c_int64(i.id) for i in (one, one.get_type(), one.get_space())), ctypes.byref(size)
)
print(f["x"][0], size.value)
"""
    repeated(tmp_path, program, words=("--keep-below", "0"), away=("in.h5",))


def test_a_split_file_beside_one_with_its_name(tmp_path: Path) -> None:
    make(tmp_path / "s.h5")
    program = """
import h5py
def access():
    one = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    one.set_fapl_split(b"-m", h5py.h5p.create(h5py.h5p.FILE_ACCESS), b"-r", h5py.h5p.create(h5py.h5p.FILE_ACCESS))
    return one
"""
    make_it = (
        "f = h5py.File(h5py.h5f.create(b's.h5', fapl=access())); f['s'] = range(50000); f.close()"
    )
    alone = subprocess.run(
        [sys.executable, "-c", program + make_it], cwd=tmp_path, capture_output=True, check=False
    )
    if alone.returncode != 0:
        pytest.skip("this h5py has no split driver")
    shutil.copyfile(make(tmp_path / "other.h5"), tmp_path / "s.h5")
    read_it = "print(h5py.File(h5py.h5f.open(b's.h5', h5py.h5f.ACC_RDONLY, access()))['s'][5])"
    run(tmp_path, program + read_it)
    done = quarry("carve", "t", "-o", "small", cwd=tmp_path)
    assert done.returncode == 1 and "spread it over several files" in done.stdout
