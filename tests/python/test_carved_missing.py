"""What was carved away is read from its original, if that is the one; else it is refused by name."""

import ctypes
import fcntl
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carved_runs import make, make_carved, natively, on_carved, record
from carving import FilterClass, copy_of, hdf5, library_of_h5py

from cli import QUARRY, REPOSITORY, quarry

ACCESSES = REPOSITORY / "build/bin/accesses"

# Everything that tells that data was carved away: values, properties, chunks as they are stored.
LOOK = """
import h5py, sys
f = h5py.File(sys.argv[1])
print(f.filename, f.id.name)
for name in sys.argv[2:] or sorted(f):
    d = f[name]
    creation = d.id.get_create_plist()
    filters = [creation.get_filter(i) for i in range(creation.get_nfilters())]
    fill = d.fillvalue if d.dtype.kind != "O" else None
    print(name, d.chunks, d.compression, fill, filters, creation.get_fill_time(), creation.get_alloc_time())
    print(d.id.get_storage_size(), d.id.get_space_status(), creation.get_layout())
    print(d.id.get_access_plist().get_chunk_cache())
    if d.chunks:
        # All but their addresses, at which there is something else in the file by now.
        every = [d.id.get_chunk_info(i) for i in range(d.id.get_num_chunks())]
        print([(c.chunk_offset, c.filter_mask, c.size, d.id.get_chunk_info_by_coord(c.chunk_offset).size) for c in every])
        seen = []
        d.id.chunk_iter(seen.append)
        print([(c.chunk_offset, c.filter_mask, c.size) for c in seen] == [(c.chunk_offset, c.filter_mask, c.size) for c in every])
        print([hash(d.id.read_direct_chunk(c.chunk_offset)) for c in every])
    for part in (slice(None), slice(5, 9), [3, 7]):
        print(hash(d[part].tobytes()) if d.dtype.kind != "O" else d[part][:3])
"""


@pytest.fixture
def carved(tmp_path: Path) -> Path:
    return make_carved(tmp_path)


DATASETS = ("contiguous", "gzip", "pairs", "partly", "used", "words")


def test_with_the_original_nothing_is_seen_of_the_carving(carved: Path) -> None:
    folder = carved.parent
    done = on_carved(folder, LOOK, "in.h5", *DATASETS)
    assert done.stdout == natively(folder, LOOK, "in.h5", *DATASETS), done.stderr
    assert f"was read from {carved}" in done.stderr and "/gzip" in done.stderr
    assert "/used" not in done.stderr and "--grow" in done.stderr


@pytest.mark.parametrize(
    "way",
    (
        "f['gzip'][5]",
        "f['group/link'][5]",
        "f[f['gzip'].ref][5]",
        "f['group']['soft'][5]",
        "h5py.Dataset(h5py.h5o.open(f['group'].id, b'link'))[5]",
        "h5py.Dataset(h5py.h5d.open(f.id, b'group/link'))[5]",
        "[f[n][5] for n in f if n == 'gzip'][0]",
        "length_of(f['words'])",
    ),
)
def test_any_way_of_opening(carved: Path, way: str) -> None:
    program = f"""
import ctypes, h5py
def length_of(d):
    (path, *_) = (line.split()[-1] for line in open("/proc/self/maps") if "libhdf5-" in line or "libhdf5.so" in line)
    size = ctypes.c_uint64()
    asked = (d.id, d.id.get_type(), d.id.get_space())
    ids = (ctypes.c_int64(one.id) for one in asked)
    return ctypes.CDLL(path).H5Dvlen_get_buf_size(*ids, ctypes.byref(size)), size.value
f = h5py.File("in.h5")
print({way})
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program), done.stderr
    assert "was read from" in done.stderr


@pytest.mark.parametrize("is_there", (True, False))
@pytest.mark.parametrize("now", ("linked", "without link"))
def test_links_on_the_way_are_others_by_now(tmp_path: Path, now: str, is_there: bool) -> None:
    """A file may be seen elsewhere than it was carved from; that it is carved is not seen there."""
    disk, data = tmp_path / "disk", tmp_path / "data"
    (disk if now == "without link" else data).mkdir()
    if now == "without link":
        data.symlink_to(disk)
    make(data / "in.h5")
    record(tmp_path, "import h5py; f = h5py.File('data/in.h5'); f['used'][0]; f['partly'][0, 0]")
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


def test_opening_by_number(carved: Path) -> None:
    """Of which h5py knows nothing."""
    program = """
import ctypes, h5py
f = h5py.File("in.h5")
words = open("/proc/self/maps").read().split()
library = ctypes.CDLL(next(word for word in words if "h5py" in word and "libhdf5-" in word))
library.H5Oopen_by_idx.restype = file = ctypes.c_int64
number = ctypes.c_uint64(sorted(f).index("gzip"))
opened = library.H5Oopen_by_idx(file(f.id.id), b"/", 0, 0, number, file(0))
d = h5py.Dataset(h5py.h5d.DatasetID(opened))
print(d.name, d.chunks, d[5])
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program) != ""
    assert "/gzip" in done.stderr


def test_the_program_changes_its_directory(carved: Path) -> None:
    """HDF5 knows a file by the name it was opened by, which then leads elsewhere."""
    program = "import h5py, os; f = h5py.File('in.h5'); os.chdir('/'); print(f['gzip'][5])"
    assert on_carved(carved.parent, program).stdout == natively(carved.parent, program)


@pytest.mark.parametrize("others", (0, 10_050))
def test_the_program_goes_where_another_file_has_the_same_name(tmp_path: Path, others: int) -> None:
    """Also after it has opened many others."""
    for number, folder in enumerate(("one", "two")):
        (tmp_path / folder).mkdir()
        with h5py.File(tmp_path / folder / "in.h5", "w") as f:
            f["read"], f["unread"] = [number], np.full(10_000, number)
    record(tmp_path, "import h5py; [h5py.File(f'{n}/in.h5')['read'][0] for n in ('one', 'two')]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = 1
    program = f"""
import h5py, os
os.chdir("one")
f = h5py.File("in.h5")
for i in range({others}):
    h5py.h5f.open(b"../other.h5", h5py.h5f.ACC_RDONLY).close()
os.chdir("../two")
print(f["unread"][0], h5py.File("in.h5")["unread"][0])
"""
    assert on_carved(tmp_path, program).stdout == "0 1\n"


@pytest.mark.parametrize("kind", ("references", "regions", "in_compounds"))
def test_references_are_not_taken_from_the_original(tmp_path: Path, kind: str) -> None:
    """They hold places of objects, at which there is something else in the carved file."""
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"], f["unread"] = [1], np.arange(10_000)
        targets = [f.create_dataset(f"target {i}", data=np.full(100, i)) for i in range(300)]
        values, dtype = {
            "references": ([one.ref for one in targets], h5py.ref_dtype),
            "regions": ([one.regionref[:2] for one in targets], h5py.regionref_dtype),
            "in_compounds": (
                [(1, one.ref) for one in targets],
                [("a", "i4"), ("b", h5py.ref_dtype)],
            ),
        }[kind]
        f["pointers"] = np.array(values * 30, dtype)
    record(tmp_path, "import h5py; h5py.File('in.h5')['read'][0]")
    assert quarry("carve", "t", "-o", "small", "--keep-below", "0", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "import h5py; h5py.File('in.h5')['pointers'][0]")
    assert done.returncode == 1 and "OSError" in done.stderr
    assert "/pointers" in done.stderr and "refer" in done.stderr and "--keep" in done.stderr
    assert "was read from" not in done.stderr


# Reads the first element of some datasets.
SOME = """
import h5py, random, sys
draw = random.Random(int(sys.argv[1]))
for name in ("data.h5", "other.h5"):
    with h5py.File(name) as f:
        found = []
        f.visititems(lambda path, o: found.append(o) if isinstance(o, h5py.Dataset) else None)
        for one in found:
            if draw.random() < 0.5:
                one[(0,) * one.ndim]
"""


@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("granularity", ("object", "chunk"))
def test_random_accesses_in_c(tmp_path: Path, granularity: str, case: int) -> None:
    """Also several datasets in one call, regions, external links, chunks as they are stored."""
    seed = random.Random(f"{os.environ['QUARRY_SEED']} missing {case}").randrange(10**9)
    print("seed", seed)

    def accesses(what: str) -> list[str]:
        return [ACCESSES, what, str(seed), f"{what}.json"]

    subprocess.run(accesses("write"), cwd=tmp_path, check=True)
    command = [sys.executable, "-c", SOME, str(seed)]
    assert quarry("run", "--trace", "t", "--", *command, cwd=tmp_path).returncode == 0
    words = ("--granularity", granularity, "--keep-below", "0")
    done = quarry("carve", "t", "-o", "small", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    before = subprocess.run(
        accesses("read"), cwd=tmp_path, check=True, capture_output=True, text=True
    )
    on_carved = ("run", "--no-trace", "--carved", "small")
    after = quarry(*on_carved, "--", *accesses("read"), cwd=tmp_path)
    assert (after.returncode, after.stdout) == (0, before.stdout), after.stderr
    assert all(line.startswith("quarry: ") for line in after.stderr.splitlines())
    alone = quarry(*on_carved, "--missing", "error", "--", *accesses("read"), cwd=tmp_path)
    # As few datasets as there may be, all could be kept.
    is_refused = alone.returncode == 1 and "was left out" in alone.stderr
    assert is_refused == ("was read from" in after.stderr)
    # Until then all was right.
    assert before.stdout.startswith(alone.stdout) if is_refused else alone.stdout == before.stdout


def test_without_the_original_it_is_refused_by_name(carved: Path) -> None:
    folder = carved.parent
    carved.rename(folder / "elsewhere.h5")
    used = "import h5py; print(h5py.File('in.h5')['used'][...].sum(), h5py.File('in.h5')['partly'][0, 0])"
    done = on_carved(folder, used)
    assert done.returncode == 0 and done.stderr == "" and done.stdout
    for name in ("contiguous", "gzip", "partly", "words", "pairs"):
        done = on_carved(folder, f"import h5py; h5py.File('in.h5')['{name}'][-1]")
        assert done.returncode == 1
        assert f"{carved}: what is asked for of /{name} was left out" in done.stderr
        assert "No such file" in done.stderr
    stub = "import h5py; h5py.File('in.h5')['partly'].id.read_direct_chunk((50, 0))"
    assert on_carved(folder, stub).returncode == 1
    kept = "import h5py; print(h5py.File('in.h5')['partly'].id.read_direct_chunk((0, 0))[0])"
    assert on_carved(folder, kept).stdout == "0\n"
    # Properties are the original's all the same.
    properties = """
import h5py, os
f = h5py.File('in.h5')
print(f['contiguous'].chunks, f['contiguous'].fillvalue)
for name in ('gzip', 'partly'):
    d = f[name].id
    infos = [d.get_chunk_info(i) for i in range(d.get_num_chunks())]
    print(len(infos), sum(one.size for one in infos) == d.get_storage_size())
    # Whoever reads them past HDF5 finds nothing, not something else.
    print(any(os.pread(os.open('in.h5', os.O_RDONLY), 9, one.byte_offset) for one in infos))
"""
    assert on_carved(folder, properties).stdout == "None 0.0\n" + "40 True\nFalse\n" * 2


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
        (("--missing", "/nowhere=/else"), f"{carved} cannot be read"),
        (("--missing", f"{str(folder)[:-1]}=/else"), f"{carved} cannot be read"),
    ):
        done = on_carved(folder, "print('started')", options=options)
        assert done.returncode == 125 and why in done.stderr and not done.stdout
    done = on_carved(folder, program, options=("--missing", "sideways"))
    assert done.returncode == 2 and "OLD=NEW" in done.stderr


def test_missing_error_reads_no_original(carved: Path) -> None:
    done = on_carved(
        carved.parent, "import h5py; h5py.File('in.h5')['gzip'][5]", options=("--missing", "error")
    )
    assert done.returncode == 1 and "--missing error" in done.stderr


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
    ("change", "options", "why"),
    (
        (change_size, (), "its size is another"),
        (touch, (), "modified since"),
        (change_headers, (), "its headers are others"),
        (change_data, ("--paranoid",), "its data is other data"),
    ),
)
def test_an_original_that_is_another_by_now_is_not_read(carved: Path, change, options, why) -> None:
    change(carved)
    program = "import h5py; h5py.File('in.h5')['gzip'][5]"
    done = on_carved(carved.parent, program, options=options)
    assert done.returncode == 1 and why in done.stderr, done.stderr


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
    record(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
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
    record(tmp_path, read)
    options = ("--granularity", "chunk", "--keep-below", "0")
    assert quarry("carve", "t", "-o", "small", *options, cwd=tmp_path).returncode == 0
    other = "import h5py; print(h5py.File('in.h5')['other'][7])"
    done = on_carved(tmp_path, other, options=("--grow",))
    assert done.stdout == "7.0\n" and "holds it now" in done.stderr
    (tmp_path / "in.h5").unlink()
    for program, outcome in ((read, "[-1. -1. -1.]\n"), (other, "7.0\n")):
        done = on_carved(tmp_path, program)
        assert (done.stdout, done.stderr) == (outcome, "")


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


def test_what_was_carved_with_checksums_grows_with_them(carved: Path) -> None:
    program = "import h5py; print(h5py.File('in.h5')['{}'][5].sum())"
    assert on_carved(carved.parent, program.format("gzip"), options=("--grow",)).returncode == 0
    done = on_carved(carved.parent, program.format("contiguous"), options=("--paranoid",))
    assert done.stdout == natively(carved.parent, program.format("contiguous")), done.stderr


def test_what_was_read_as_bytes_stays_whole_when_others_grow(tmp_path: Path) -> None:
    make(tmp_path / "in.h5")
    make(tmp_path / "two.h5")
    record(
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


@pytest.mark.parametrize("old", ("year=2020", "link"))
def test_originals_are_elsewhere_by_now(tmp_path: Path, old: str) -> None:
    """Names may have the sign that a map has, and be those of links."""
    (tmp_path / "year=2020").mkdir()
    (tmp_path / "link").symlink_to("year=2020")
    make(tmp_path / "year=2020/in.h5")
    read = "import h5py; print(h5py.File('link/in.h5')['{}'][5])"
    record(tmp_path, read.format("used"))
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    before = natively(tmp_path, read.format("contiguous"))
    (tmp_path / "year=2020").rename(tmp_path / "archive")
    map_there = ("--missing", f"{tmp_path / old}={tmp_path}/archive")
    done = on_carved(tmp_path, read.format("contiguous"), options=map_there)
    assert done.stdout == before, done.stderr
    assert f"was read from {tmp_path}/archive/in.h5" in done.stderr


def test_what_is_fetched_is_noted_wherever_the_program_goes(carved: Path) -> None:
    (carved.parent / "tmp").mkdir()
    program = "import h5py, os; f = h5py.File('in.h5'); os.chdir('/'); f['contiguous'][5]"
    command = ("--", sys.executable, "-c", program)
    words = ("run", "--no-trace", "--carved", "small", "--grow", *command)
    done = quarry(*words, cwd=carved.parent, env={"TMPDIR": "tmp"})
    assert "holds it now" in done.stderr


def test_a_name_that_hdf5_cannot_be_told(carved: Path) -> None:
    strange = (carved.parent / "small").rename(carved.parent / "sm{all")
    command = ("--", sys.executable, "-c", "print('ran')")
    done = quarry("run", "--no-trace", "--carved", strange, *command, cwd=carved.parent)
    assert done.returncode == 125 and "ran" not in done.stdout
    assert f"{strange} has a brace" in done.stderr


@pytest.mark.parametrize("whole", (True, False))
def test_only_what_was_carved_grows(tmp_path: Path, whole: bool) -> None:
    """Another file has come to the place of an original, with the size and an older time."""
    for name, value in (("a.h5", 1), ("b.h5", 1), ("c.h5", 2)):
        with h5py.File(tmp_path / name, "w") as f:
            f["used"] = f["unused"] = np.full(20000, value)
    read = "import h5py; print(h5py.File('a.h5')['{}'][7], h5py.File('b.h5')['used'][7])"
    also = "open('b.h5', 'rb').read()" if whole else ""
    record(tmp_path, f"{read.format('used')}\n{also}")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    os.utime(tmp_path / "c.h5", (1e9, 1e9))
    (tmp_path / "c.h5").rename(tmp_path / "b.h5")
    done = on_carved(tmp_path, read.format("unused"), options=("--grow",))
    assert done.returncode == 125 and done.stdout == "1 1\n"
    assert f"stays as it was: {tmp_path}/b.h5: it" in done.stderr
    assert on_carved(tmp_path, read.format("used")).stdout == "1 1\n"


def test_whoever_runs_waits_for_whoever_carves(carved: Path) -> None:
    program = "import h5py; print(h5py.File('in.h5')['gzip'][5].sum())"
    folder = os.open(carved.parent / "small", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    done = quarry("carve", "t", "-o", "small", cwd=carved.parent)
    assert done.returncode == 125 and "is in use" in done.stderr
    command = [
        QUARRY,
        "run",
        "--no-trace",
        "--carved",
        "small",
        "--",
        sys.executable,
        "-c",
        program,
    ]
    with subprocess.Popen(
        command, cwd=carved.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as waiting:
        assert "waiting: small is being carved" in waiting.stderr.readline()
        os.close(folder)
        assert waiting.communicate()[0] == natively(carved.parent, program)


PROPERTIES = """
import ctypes, h5py
lines = open("/proc/self/maps").read().splitlines()
library = ctypes.CDLL(next(p for p in (line.split()[-1] for line in lines) if "h5py" in p and "libhdf5-" in p))
for name, dataset in h5py.File("in.h5").items():
    creation, options, fill = dataset.id.get_create_plist(), ctypes.c_uint(), ctypes.create_string_buffer(8)
    library.H5Pget_chunk_opts(ctypes.c_int64(creation.id), ctypes.byref(options))
    print(name, creation.get_filter(0), options.value, creation.get_chunk(), dataset.fillvalue)
    print(creation.fill_value_defined(), creation.get_fill_time(), creation.get_alloc_time(), dataset.id.get_access_plist().get_chunk_cache())
    same = h5py.File(f"new {name}.h5", "w", driver="core", backing_store=False)
    made = h5py.h5d.create(same.id, b"x", dataset.id.get_type(), dataset.id.get_space(), creation)
    print(made.get_create_plist().get_nfilters(), made.get_create_plist().get_filter(0))
"""


@pytest.mark.parametrize("granularity", ("object", "chunk"))
def test_properties_that_hdf5_does_not_write_down(tmp_path: Path, granularity: str) -> None:
    """Names of filters, also of those that nobody has, and options of chunks."""
    library = library_of_h5py()
    unpacked = ctypes.CFUNCTYPE(
        ctypes.c_size_t, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t
    )(lambda _flags, _count, _values, size: size)
    for number, name in ((31990, b"ours"), (31991, b"our own filter; see http://x")):
        ours = FilterClass(1, number, 1, 1, name, (None,) * 3)
        ours.functions[2] = ctypes.cast(unpacked, ctypes.c_void_p).value
        assert library.H5Zregister(ctypes.byref(ours)) >= 0
    with h5py.File(tmp_path / "in.h5", "w", libver=("v110", "v110")) as f:
        for number, fill in ((31990, None), (31991, 7.5), (h5py.h5z.FILTER_LZF, 3)):
            for options in (0, 2):
                properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                properties.set_chunk((300,))
                properties.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (7, 8, 9))
                if fill is not None:
                    properties.set_fill_value(np.array(fill))
                hdf5("H5Pset_chunk_opts", properties.id, options)
                space = h5py.h5s.create_simple((40_000,))
                made = (f.id, f"{number} {options}".encode(), h5py.h5t.NATIVE_DOUBLE, space)
                h5py.Dataset(h5py.h5d.create(*made, properties))[...] = np.arange(40_000.0)
    for number in (31990, 31991):
        assert library.H5Zunregister(number) >= 0
    record(tmp_path, f"import h5py; f = h5py.File('in.h5'); f['{h5py.h5z.FILTER_LZF} 0'][0]")
    done = quarry("carve", "t", "-o", "small", "--granularity", granularity, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        json.loads((tmp_path / "small/quarry-carved.json").read_text())["files"][0]["why_whole"]
        == ""
    )
    looked = natively(tmp_path, PROPERTIES)
    assert "our own filter; see http://x" in looked and "'ours'" in looked.replace('b"', "'")
    done = on_carved(tmp_path, PROPERTIES)
    assert done.stdout == looked, done.stderr


def test_two_libraries_need_the_same_original(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("x", 3000000)
        for name in ("a", "b"):
            f.createVariable(name, "f8", ("x",))[:] = np.arange(3000000)
        f.createVariable("used", "i4", ())[:] = 3
    record(tmp_path, "import h5py; h5py.File('in.nc')['used'][()]")
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


def test_two_files_are_not_mistaken_for_each_other(tmp_path: Path) -> None:
    for name, value in (("a/in.h5", 1), ("b/in.h5", 2)):
        (tmp_path / name).parent.mkdir()
        with h5py.File(tmp_path / name, "w") as f:
            f["used"] = np.full(20000, value)
            f["unused"] = np.full(20000, 10 * value)
    record(tmp_path, "import h5py; [h5py.File(n)['used'][0] for n in ('a/in.h5', 'b/in.h5')]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
a, b = h5py.File("a/in.h5"), h5py.File("b/in.h5")
da, db = a["unused"], b["unused"]
print(da[0], db[0], a["used"][0], b["used"][0], da[1], db[1])
a.close()
print(db[5], h5py.File("a/in.h5")["unused"][7])
"""
    assert on_carved(tmp_path, program).stdout == "10 20 1 2 10 20\n20 10\n"


def test_fill_values_of_variable_length(tmp_path: Path) -> None:
    """A list of properties holds only where such a value was in memory."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as f:
        f.createDimension("x", 20_000)
        f.createVariable("read", "f8", ("x",))[:] = 1
        words = f.createVariable("words", str, ("x",))
        words[0], words[19_999] = "first", "last"
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = np.arange(20_000)
        words = f.create_dataset("words", (20_000,), h5py.string_dtype(), fillvalue="none")
        words[:10_000] = "word"
    record(tmp_path, "import h5py; [h5py.File(f'in.{kind}')['read'][0] for kind in ('nc', 'h5')]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py, netCDF4
words = netCDF4.Dataset("in.nc")["words"]
print(words[0], words[-1], words[5])
words = h5py.File("in.h5")["words"]
print(words.fillvalue, words[0], words[-1])
"""
    done = on_carved(tmp_path, program)
    assert (done.returncode, done.stdout) == (0, natively(tmp_path, program)), done.stderr


def test_originals_that_are_read_again_and_again(tmp_path: Path) -> None:
    """HDF5 keeps in a type which opening of a file it came from, and may find another there later."""
    for name in "ab":
        with h5py.File(tmp_path / f"{name}.h5", "w") as f:
            f["read"], f["large"] = 1, np.arange(40_000.0)
            rows = np.empty(9000, [("id", "i4"), ("name", h5py.string_dtype())])
            rows["id"], rows["name"] = np.arange(9000), [f"{name}-{i}" for i in range(9000)]
            f["rows"] = rows
            f["kind"] = np.dtype("i8")
            f.create_dataset("of kind", (20_000,), f["kind"])[...] = 1
    record(tmp_path, "import h5py; [h5py.File(f'{name}.h5')['read'][()] for name in 'ab']")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
f, g = h5py.File("a.h5"), h5py.File("b.h5")
first = f["rows"]
print(first[5:7])
second = f["rows"]
print(second[7:9])
del first
other = g["large"]
print(other[:3], second[5:7], list(second[1000:1003]))
print(f["of kind"][0])
with h5py.File("out.h5", "w") as out:
    f.copy("of kind", out)
    f.copy("rows", out)
    print(out["of kind"][0], out["rows"][5:7])
print(second[0], f["rows"][9:10])
"""
    done = on_carved(tmp_path, program)
    assert (done.returncode, done.stdout) == (0, natively(tmp_path, program)), done.stderr


def test_virtual_datasets_are_not_taken_from_the_original(tmp_path: Path) -> None:
    """HDF5 gives fill values where it does not find a source, and looks for them in many ways."""
    with h5py.File(tmp_path / "source.h5", "w") as f:
        f["d"] = np.arange(1000)
    layout = h5py.VirtualLayout((1000,), "i8")
    layout[:] = h5py.VirtualSource("source.h5", "d", (1000,))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        f.create_virtual_dataset("virtual", layout, fillvalue=-1)
    record(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    done = on_carved(tmp_path, "import h5py; h5py.File('in.h5')['virtual'][0]")
    assert done.returncode == 1 and "/virtual" in done.stderr and "--keep" in done.stderr
    looks = """
import h5py
d = h5py.File("in.h5")["virtual"]
print(d.is_virtual, d.id.get_space_status(), d.id.get_storage_size())
"""
    assert on_carved(tmp_path, looks).stdout == natively(tmp_path, looks)


def test_shapes_of_virtual_datasets_by_view(tmp_path: Path) -> None:
    """One without a limit has several, of which one was carved."""
    for number, length in enumerate((5, 3)):
        with h5py.File(tmp_path / f"source{number}.h5", "w") as f:
            f.create_dataset("d", data=np.arange(length), maxshape=(None,))
    endless = (h5py.h5s.UNLIMITED,)
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        space = h5py.h5s.create_simple((5, 2), (endless[0], 2))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        for number in range(2):
            space.select_hyperslab((0, number), (1, 1), (1, 1), (endless[0], 1))
            source = h5py.h5s.create_simple((0,), endless)
            source.select_hyperslab((0,), (1,), (1,), endless)
            properties.set_virtual(space, f"source{number}.h5".encode(), b"d", source)
        h5py.h5d.create(f.id, b"virtual", h5py.h5t.NATIVE_INT64, space, properties)
    record(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    usual = "import h5py; print(h5py.File('in.h5')['virtual'].shape)"
    assert on_carved(tmp_path, usual).stdout == natively(tmp_path, usual) == "(5, 2)\n"
    least = """
import h5py
access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
access.set_virtual_view(h5py.h5d.VDS_FIRST_MISSING)
print(h5py.h5d.open(h5py.File("in.h5").id, b"virtual", access).shape)
"""
    assert natively(tmp_path, least) == "(3, 2)\n"
    done = on_carved(tmp_path, least)
    assert done.returncode == 1 and done.stdout == ""
    assert "/virtual" in done.stderr and "view" in done.stderr and "--keep" in done.stderr


def test_files_behind_links_keep_their_place(tmp_path: Path) -> None:
    """Found by a relative prefix, and then the program goes elsewhere."""
    for folder, value in (("sub", 1), ("other/sub", 2)):
        (tmp_path / folder).mkdir(parents=True)
        with h5py.File(tmp_path / folder / "target.h5", "w") as f:
            f["group/d"] = np.full(1000, value)
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["link"] = h5py.ExternalLink("target.h5", "/group")
    names = "('in.h5', 'sub/target.h5', 'other/sub/target.h5')"
    record(tmp_path, f"import h5py; [h5py.File(name).attrs.get('x') for name in {names}]")
    words = ("carve", "t", "-o", "small", "--keep-below", "0")
    assert quarry(*words, cwd=tmp_path).returncode == 0
    program = """
import h5py, os
os.environ["HDF5_EXT_PREFIX"] = "sub"
group = h5py.File("in.h5")["link"]
os.chdir("other")
print(group["d"][0])
"""
    assert on_carved(tmp_path, program).stdout == "1\n"


# What a program may want to do with a dataset of which data is missing.
CHANGES = {
    "resize": "f['gzip'].resize((10, 30))",
    "write": "f['contiguous'][0] = 1",
    "write words": "f['words'][3] = 'new'",
    "write in part": "f['partly'][0] = 1",
    "write a chunk": "f['gzip'].id.write_direct_chunk((0, 0), b'x')",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_missing_is_not_written_to(carved: Path, change: str) -> None:
    folder = carved.parent
    program = f"""
import h5py
f = h5py.File("in.h5", "r+")
f.create_dataset("more", data=[1])[...] = 2
try:
    {CHANGES[change]}
except (OSError, RuntimeError, ValueError):
    print(f["used"][0, 0] == f["gzip"][0, 0] - 2, f["more"][0])
"""
    done = on_carved(folder, program, options=("--writes", "copy"))
    assert done.stdout == "True 2\n", done.stderr
    assert "cannot be written to or resized" in done.stderr and "--keep" in done.stderr


def test_what_takes_the_place_of_a_missing_dataset_is_whole(carved: Path) -> None:
    program = """
import h5py, numpy as np
f = h5py.File("in.h5", "r+")
for name in ("gzip", "group/link", "contiguous", "partly"): del f[name]
for i in range(20):
    d = f.create_dataset(f"new {i}", data=np.arange(12_000.).reshape(400, 30), chunks=(50, 6))
    print(np.frombuffer(d.id.read_direct_chunk((50, 6))[1])[:3], d.id.get_storage_size(), d.compression)
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program), done.stderr


def test_what_takes_the_place_of_a_missing_dataset_has_no_old_values(carved: Path) -> None:
    """Also without a fill value, as those have of which data was left out."""
    program = """
import ctypes, h5py, sys
sys.path.insert(0, sys.argv[1])
from carving import library_of_h5py
with h5py.File("in.h5", "r+") as f:
    shape = f["contiguous"].shape
    del f["contiguous"]
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((7, 11))
    words = (ctypes.c_int64(one) for one in (creation.id, h5py.h5t.NATIVE_DOUBLE.id))
    library_of_h5py().H5Pset_fill_value(*words, None)
    space = h5py.h5s.create_simple(shape)
    h5py.h5d.create(f.id, b"contiguous", h5py.h5t.NATIVE_DOUBLE, space, creation)
    print(f["contiguous"].chunks)
    try:
        print(f["contiguous"][0, :3])
    except OSError as error:
        print(error)
"""
    folder = str(Path(__file__).parent)
    done = on_carved(carved.parent, program, folder, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program, folder), done.stderr
    assert "no data can be read" in done.stdout


@pytest.fixture
def months(tmp_path: Path) -> Path:
    """Files of one kind, carved: what is missing in each lies at the same place."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / "in.h5", "w") as f:
            f["read"], f["numbers"] = 1, np.full(20_000, len(name) if name == "one" else 7.0)
            f.create_dataset("words", data=[name] * 9000, dtype=h5py.string_dtype())
    shutil.copytree(tmp_path / "two", tmp_path / "aside", copy_function=shutil.copy2)
    program = "import h5py; [h5py.File(f'{name}/in.h5')['read'][()] for name in ('one', 'two')]"
    record(tmp_path, program)
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    return tmp_path


READ_TWO = """
import h5py
for name in ("numbers", "words"):
    try: print(h5py.File("two/in.h5")[name][5])
    except OSError: print("refused")
"""


@pytest.mark.parametrize("way", ("copied", "bytes"))
def test_the_copy_of_another_carved_file_is_told_from_it(months: Path, way: str) -> None:
    ways = {
        "copied": "shutil.copyfile('one/in.h5', 'two/in.h5')",
        "bytes": "open('two/in.h5', 'r+b').write(open('one/in.h5', 'rb').read())",
    }
    program = f"import shutil\n{ways[way]}\n{READ_TWO}"
    done = on_carved(months, program, options=("--writes", "copy"))
    assert done.stdout == "refused\nrefused\n", done.stderr
    assert "/numbers was left out by `quarry carve` of another file" in done.stderr


def test_carved_files_that_change_their_places(months: Path) -> None:
    program = f"import os\nos.rename('two', 'old')\nos.rename('one', 'two')\n{READ_TWO}"
    done = on_carved(months, program, options=("--missing", f"{months}/two={months}/aside"))
    assert done.stdout == "refused\nrefused\n", done.stderr
    assert "of another file" in done.stderr


def test_copies_of_another_carving_are_refused(carved: Path) -> None:
    """As half of a copied directory leaves them."""
    folder = carved.parent
    done = quarry("carve", "t", "-o", "more", "--keep", "/gzip", cwd=folder)
    assert done.returncode == 0
    shutil.copy2(folder / "more" / carved.relative_to("/"), copy_of(carved))
    done = on_carved(folder, "print(1)")
    assert (done.returncode, done.stdout) == (125, "")
    assert "in.h5 is not the copy that" in done.stderr and "carve again" in done.stderr


def test_lists_of_properties_are_equal_to_those_made_of_them(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        f.create_dataset("chunked", data=np.arange(20_000), chunks=(5000,))
    record(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = """
import h5py
old = h5py.File("in.h5")["chunked"].id
with h5py.File("out.h5", "w") as f:
    made = h5py.h5d.create(f.id, b"x", old.get_type(), old.get_space(), old.get_create_plist())
    print(made.get_create_plist().equal(old.get_create_plist()))
"""
    assert on_carved(tmp_path, program).stdout == natively(tmp_path, program) == "True\n"


def test_what_takes_the_place_of_missing_texts_is_never_theirs(carved: Path) -> None:
    """They lie in the heap, and nothing tells them from others; also after the file was closed."""
    program = """
import ctypes, h5py, sys
sys.path.insert(0, sys.argv[1])
from carving import library_of_h5py
with h5py.File("in.h5", "r+") as f:
    space = f["words"].id.get_space()
    del f["words"]
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kind = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
    library_of_h5py().H5Pset_fill_value(ctypes.c_int64(creation.id), ctypes.c_int64(kind.id), None)
    h5py.h5d.create(f.id, b"words", kind, space, creation)
try:
    print(h5py.File("in.h5")["words"][3])
except OSError as error:
    print(error)
"""
    folder = str(Path(__file__).parent)
    done = on_carved(carved.parent, program, folder, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program, folder), done.stderr
    assert "word 3" not in done.stdout


def test_carved_files_that_are_opened_again_and_again(carved: Path) -> None:
    """What is known of an opening does not stay for ever: 95 bytes each would be 1.7 MB."""
    program = """
import h5py
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4
for number in range(20_000):
    if number == 2000: before = resident()
    h5py.File("in.h5")["used"].shape
print(resident() - before < 800, h5py.File("in.h5")["gzip"][5, 0])
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == natively(carved.parent, program), done.stderr


def test_programs_that_close_every_id(carved: Path) -> None:
    program = """
import h5py
f = h5py.File("in.h5")
d = f["gzip"]
print(d[0, 0])
for one in h5py.h5f.get_obj_ids(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE | h5py.h5f.OBJ_DATASET):
    if one.id not in (d.id.id, f.id.id):
        h5py.h5i.dec_ref(one)
others = [h5py.File(f"{i}.h5", "w") for i in range(20)]
print(d[0, 0])
"""
    assert on_carved(carved.parent, program).stdout == natively(carved.parent, program)


def test_questions_about_chunks_that_were_not_written(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["read"] = 1
        f.create_dataset("some", (100_000,), "f4", chunks=(10_000,))[:30_000] = 1
        f.create_dataset("none", (100_000,), "f4", chunks=(10_000,))
    record(tmp_path, "import h5py; h5py.File('in.h5')['read'][()]")
    words = ("carve", "t", "-o", "small", "--keep-below", "0")
    assert quarry(*words, cwd=tmp_path).returncode == 0
    program = """
import ctypes, h5py, sys
sys.path.insert(0, sys.argv[1])
from carving import library_of_h5py
hdf5 = library_of_h5py()
for name in ("some", "none"):
    d = h5py.File("in.h5")[name].id
    print(d.get_space_status(), d.get_num_chunks())
    for at in (0, 15_000, 29_999, 30_000, 100_000):
        words = (ctypes.c_int64(d.id), ctypes.byref(ctypes.c_uint64(at)))
        size, mask = ctypes.c_uint64(7), ctypes.c_uint(7)
        answer = hdf5.H5Dget_chunk_storage_size(*words, ctypes.byref(size))
        print(at, answer, size.value)
        answer = hdf5.H5Dget_chunk_info_by_coord(*words, ctypes.byref(mask), None, ctypes.byref(size))
        print(at, answer, size.value, mask.value)
"""
    folder = str(Path(__file__).parent)
    assert on_carved(tmp_path, program, folder).stdout == natively(tmp_path, program, folder)


def test_datasets_of_many_chunks_are_opened_often(tmp_path: Path) -> None:
    """What is known of each chunk is not looked at for that."""
    with h5py.File(tmp_path / "in.h5", "w", libver="latest") as f:
        f["plain"] = np.arange(1000.0)
        f.create_dataset("chunks", data=np.arange(2e6), chunks=(20,))
    read = "import h5py; f = h5py.File('in.h5'); f['plain'][:]; f['chunks'][:1000]"
    record(tmp_path, read)
    words = ("--granularity", "chunk", "--no-verify")
    assert quarry("carve", "t", "-o", "small", *words, cwd=tmp_path).returncode == 0
    program = """
import h5py, time
f = h5py.File("in.h5")
def took(name):
    begin = time.process_time()
    for i in range(100): f[name][i]
    return time.process_time() - begin
print(min(took("chunks") for _ in range(3)) < 10 * min(took("plain") for _ in range(3)))
"""
    assert on_carved(tmp_path, program).stdout == "True\n"


def test_netcdf_and_xarray(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as d:
        d.createDimension("t", 200)
        d.createDimension("x", 300)
        color = d.createEnumType("u1", "color", {"red": 0, "blue": 1})
        for name in ("a", "b", "c"):
            v = d.createVariable(
                name, "f8", ("t", "x"), zlib=True, chunksizes=(20, 50), fill_value=-1
            )
            v[:] = np.random.default_rng(2).random((200, 300))
            v.units = "m"
        d.createVariable("plain", "f8", ("t", "x"))[:] = 7
        d.createVariable("shade", color, ("t", "x"))[:] = np.ones((200, 300), "u1")
    look = """
import netCDF4, xarray, sys
with netCDF4.Dataset("in.nc") as d:
    for name in sys.argv[1:]:
        v = d[name]
        print(name, v[30:35].sum(), v.filters(), v.chunking(), v.get_var_chunk_cache(), v.get_fill_value() if hasattr(v, "get_fill_value") else "")
with xarray.open_dataset("in.nc") as d:
    print([float(d[name].astype("f8").mean()) for name in sys.argv[1:]])
"""
    record(tmp_path, f"import sys; sys.argv[1:] = ['a']\n{look}")
    for granularity in ("object", "chunk"):
        done = quarry("carve", "t", "-o", "small", "--granularity", granularity, cwd=tmp_path)
        assert done.returncode == 0
        done = on_carved(tmp_path, look, "a", "b", "plain", "shade")
        assert done.stdout == natively(tmp_path, look, "a", "b", "plain", "shade"), done.stderr
    before = natively(tmp_path, look, "a")
    shutil.move(tmp_path / "in.nc", tmp_path / "aside.nc")
    assert on_carved(tmp_path, look, "a").stdout == before
    assert "HDF error" in on_carved(tmp_path, look, "b").stderr


def test_a_damaged_table_is_named(carved: Path) -> None:
    table = carved.parent / "small/quarry-carved" / carved.relative_to("/")
    whole = table.read_bytes()
    one_bit = bytearray(whole)
    one_bit[len(whole) // 2] ^= 4
    for bytes_ in (b"damaged" * 20, whole[:-8], one_bit, None):
        table.unlink() if bytes_ is None else table.write_bytes(bytes_)
        done = on_carved(carved.parent, "print('started')")
        assert done.returncode == 125 and "started" not in done.stdout
        what = "No such file or directory. Carve again" if bytes_ is None else " is damaged: "
        assert str(table) in done.stderr and what in done.stderr
    table.write_bytes(whole)
    assert on_carved(carved.parent, "print('started')").stdout == "started\n"
    manifest = carved.parent / "small/quarry-carved.json"
    content = json.loads(manifest.read_text())
    for broken in ("", "[]", "{", json.dumps(content | {"format": 99}), json.dumps({"format": 1})):
        manifest.write_text(broken)
        done = on_carved(carved.parent, "print('started')")
        assert done.returncode == 125 and "started" not in done.stdout
        assert "Carve again" in done.stderr


def test_a_list_that_leads_elsewhere_is_refused(carved: Path) -> None:
    manifest = carved.parent / "small/quarry-carved.json"
    content = json.loads(manifest.read_text())
    (file,) = content["files"]
    elsewhere = f"{carved.parent}/../outside/in.h5"
    for files in (None, {}, [file | {"original": elsewhere}], [file | {"also": [elsewhere]}]):
        manifest.write_text(json.dumps(content | {"files": files}))
        done = on_carved(carved.parent, "print('started')")
        assert done.returncode == 125 and "started" not in done.stdout, files
        assert "is damaged" in done.stderr


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"in-\xff.h5")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = f["unused"] = np.arange(20000)
    (tmp_path / "in.h5").rename(tmp_path / name)
    read = "import h5py, os; print(h5py.File(os.fsdecode(b'in-\\xff.h5'))['used'][7])"
    record(tmp_path, read)
    assert quarry("carve", "t", "-o", "small", "--json", cwd=tmp_path).returncode == 0
    (tmp_path / name).unlink()
    assert on_carved(tmp_path, read).stdout == "7\n"


def test_a_directory_that_is_in_use_is_not_replaced(carved: Path) -> None:
    folder = carved.parent
    command = ["run", "--no-trace", "--carved", "small", "--", "sh", "-c", "echo in; read line"]
    with subprocess.Popen(
        [QUARRY, *command], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "in\n"
        done = quarry("carve", "t", "-o", "small", cwd=folder)
        assert done.returncode == 125 and "is in use" in done.stderr
        running.communicate("end\n")
    assert quarry("carve", "t", "-o", "small", cwd=folder).returncode == 0
