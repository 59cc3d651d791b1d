"""Carved files are the same files, but for the data that nobody used."""

import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from carved_tables import Missing, checksum
from carving import PROGRAMS, carve, copy_of, refuses, run, tool
from own_files import WHY_WHOLE, reasons_of

from cli import QUARRY, quarry, record


def test_what_was_not_read_refuses_and_all_else_is_there(rich: Path) -> None:
    folder = rich.parent
    run(folder, "import h5py; f = h5py.File('in.h5'); print(f['mu'][0, 0], f['points'][0])")
    (fate,) = carve(folder, "t")["files"]
    kept = {path: one["kept"] for one in fate["datasets"] for path in one["paths"]}
    assert kept["/mu"] and kept["/alias"] and kept["/points"] and kept["/packed"]
    assert not kept["/gzip"] and not kept["/typed"]
    # What is kept refers to these.
    why = {path: one["why"] for one in fate["datasets"] for path in one["paths"]}
    assert kept["/zeta"] and kept["/alpha"]
    assert "/points refers to it" in (why["/zeta"], why["/alpha"])
    assert "/mu, /alias" in quarry("explain", "small", cwd=folder).stdout
    with h5py.File(rich) as old, h5py.File(copy_of(rich)) as new:
        assert list(new) == list(old)
        assert (new["mu"][...] == old["mu"][...]).all()
        assert new["alias"] == new["mu"]
        for name in ("typed", "gzip"):
            assert refuses(new[name])
            assert new[name].shape == old[name].shape and new[name].dtype == old[name].dtype
        assert dict(new["alpha"].attrs) == {"of": "alpha"}
        assert new.get("soft", getlink=True).path == "/nowhere"
        assert new.get("outside", getlink=True).filename == "gone.h5"
        assert new["circle/back"] == new["/"]
        references = new["points"][...]
        assert new[references[0]] == new["alpha"] and new[references[1]] == new["circle"]
        assert not references[2]
        region = new.attrs["region"]
        assert new[region] == new["zeta"]
        assert h5py.h5r.get_region(region, new.id).get_select_bounds() == ((2, 1), (4, 2))
        assert new["shared"].id.get_type().committed()
    with h5py.File(copy_of(rich), "r+") as new:
        for name in ("typed", "gzip"):
            with pytest.raises(OSError, match="not registered"):
                new[name][0] = 1 if name == "gzip" else (1, 2)
        new["mu"][0, 0] = 5
        assert new["mu"][0, 0] == 5
    assert copy_of(rich).stat().st_size < 600_000


def test_netcdf_is_read_as_before(tmp_path: Path) -> None:
    file = tmp_path / "in.nc"
    with netCDF4.Dataset(file, "w") as d:
        d.createDimension("time", None)
        d.createDimension("x", 300)
        d.createDimension("only", 3)
        color = d.createEnumType("u1", "color", {"red": 0, "blue": 1})
        for name, kind, dimensions in (
            ("time", "f8", ("time",)),
            ("x", "i4", ("x",)),
            ("used", "f4", ("time", "x")),
            ("unused", "f4", ("time", "x")),
            ("shade", color, ("x",)),
        ):
            variable = d.createVariable(name, kind, dimensions, zlib=name == "unused")
            variable.setncattr("long_name", f"the {name}")
        d["time"][:] = np.arange(100)
        d["x"][:] = np.arange(300)
        d["used"][:] = d["unused"][:] = np.random.default_rng(2).random((100, 300))
        d["shade"][:] = np.arange(300) % 2
        below = d.createGroup("below")
        below.createVariable("deep", "f4", ("time", "x"))[:] = 1
    program = """
import netCDF4
d = netCDF4.Dataset("in.nc")
print(d["used"][:].sum(), d["used"].dimensions, d["time"][:].sum(), list(d.variables), d["shade"][:4])
"""
    before = run(tmp_path, program)
    carve(tmp_path, "t")
    shutil.move(file, tmp_path / "aside.nc")
    shutil.copy(copy_of(file), file)
    again = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert again.stdout == before.stdout
    with netCDF4.Dataset(tmp_path / "aside.nc") as old, netCDF4.Dataset(file, "a") as new:
        assert list(new.dimensions) == list(old.dimensions)
        for name in old.variables:
            assert new[name].__dict__ == old[name].__dict__
            assert new[name]._varid == old[name]._varid
            assert new[name].dimensions == old[name].dimensions
        for name in ("unused", "below/deep"):
            with pytest.raises(RuntimeError):
                new[name][:]
        new["used"][100] = np.ones(300)
        assert new["used"].shape == (101, 300)


@pytest.mark.parametrize("order", [True, False])
def test_groups_with_many_links_are_made_anew(tmp_path: Path, order: bool) -> None:
    file = tmp_path / "in.h5"
    names = [f"d{number}" for number in reversed(range(20))]
    with h5py.File(file, "w", libver="latest") as f:
        group = f.create_group("group", track_order=order)
        for name in names:
            group[name] = np.full(20000, int(name[1:]))
    run(tmp_path, "import h5py; h5py.File('in.h5')['group/d7'][0]")
    (fate,) = carve(tmp_path, "t")["files"]
    assert not fate["why_whole"]
    with h5py.File(copy_of(file)) as new:
        assert list(new["group"]) == (names if order else sorted(names))
        assert (new["group/d7"][...] == 7).all() and refuses(new["group/d8"])


def test_what_is_not_ours_is_left_alone(rich: Path) -> None:
    folder = rich.parent
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]")
    (folder / "small").mkdir()
    (folder / "small/thesis.txt").write_text("years")
    done = quarry("carve", "-o", "small", "t", cwd=folder)
    assert done.returncode == 125 and "left alone" in done.stderr
    assert (folder / "small/thesis.txt").read_text() == "years"
    (folder / "empty").touch()
    (folder / "link").symlink_to("nowhere")
    for name in ("empty", "link"):
        done = quarry("carve", "-o", name, "t", cwd=folder)
        assert done.returncode == 125 and "no directory" in done.stderr
    assert (folder / "empty").is_file() and (folder / "link").is_symlink()
    (folder / "small/thesis.txt").unlink()
    carve(folder, "t")
    for name in ("thesis.txt", "more/thesis.txt", "originals/in.h5", "quarry-carved/thesis.txt"):
        thesis = folder / "small" / name
        thesis.parent.mkdir(exist_ok=True)
        thesis.write_text("years")
        done = quarry("carve", "-o", "small", "t", cwd=folder)
        assert done.returncode == 125 and f"holds {name}" in done.stderr
        thesis.unlink()
    (folder / "small/linked").symlink_to(folder)
    assert "holds linked" in quarry("carve", "-o", "small", "t", cwd=folder).stderr
    (folder / "small/linked").unlink()
    carve(folder, "t")


def test_equal_names_in_two_folders_stay_two(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two")):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / "in.h5", "w") as f:
            f["x"] = np.full(20000, number)
    run(tmp_path, "import h5py\nfor n in ('one', 'two'): h5py.File(n + '/in.h5')['x'][0]")
    carve(tmp_path, "t")
    for number, name in enumerate(("one", "two")):
        with h5py.File(copy_of(tmp_path / name / "in.h5", tmp_path)) as f:
            assert f["x"][0] == number


def test_several_traces_add_up_and_patterns_choose(rich: Path) -> None:
    folder = rich.parent
    for name in ("zeta", "alpha"):
        run(folder, f"import h5py; h5py.File('in.h5')['{name}'][0]", trace=name)
    (fate,) = carve(folder, "zeta", "alpha", "--keep", "/gz*", "--drop", "/al*")["files"]
    kept = {one["paths"][0]: one["kept"] for one in fate["datasets"]}
    assert kept["/zeta"] and kept["/gzip"] and not kept["/mu"]
    # /alias and /alpha both match.
    assert not kept["/alpha"]
    before = copy_of(rich).read_bytes()
    done = quarry("carve", "-o", "small", "zeta", "--dry-run", cwd=folder)
    assert done.returncode == 0 and "Nothing has been written" in done.stdout
    assert copy_of(rich).read_bytes() == before


def is_somebody_at_work_in(folder: Path) -> bool:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(process / "cwd") == str(folder):
                return True
    return False


def test_a_carve_that_is_killed_leaves_what_was_there(tmp_path: Path) -> None:
    seed = random.Random(os.environ["QUARRY_SEED"] + " kill a carve").randrange(10**9)
    print("seed", seed)
    draw = random.Random(seed)
    with h5py.File(tmp_path / "in.h5", "w") as f:
        for number in range(300):
            f[f"d{number}"] = np.full(2000, number)
    run(tmp_path, "import h5py; h5py.File('in.h5')['d7'][0]")
    begin = time.monotonic()
    carve(tmp_path, "t")
    took = time.monotonic() - begin
    before = copy_of(tmp_path / "in.h5").read_bytes()
    for _ in range(10):
        process = subprocess.Popen([QUARRY, "carve", "-o", "small", "t"], cwd=tmp_path)
        time.sleep(draw.random() * took)
        process.kill()
        process.wait()
        manifest = json.loads((tmp_path / "small/quarry-carved.json").read_text())
        assert [Path(one["original"]).name for one in manifest["files"]] == ["in.h5"]
        with h5py.File(copy_of(tmp_path / "in.h5")) as f:
            assert len(f) == 300 and f["d7"][0] == 7
    assert len(before) == copy_of(tmp_path / "in.h5").stat().st_size
    for _ in range(600):  # those whose parent was killed end soon, not at once
        if not is_somebody_at_work_in(tmp_path):
            break
        time.sleep(0.1)
    # The next one tidies up, but for what may be at work.
    unfinished = list(tmp_path.glob(".quarry-unfinished-*"))
    for folder in unfinished[1:]:
        os.utime(folder, (1, 1))
    carve(tmp_path, "t")
    assert list(tmp_path.glob(".quarry-unfinished-*")) == unfinished[:1]


# What h5dump tells of a file but where in it things are, and how large it is.
PLACES = re.compile(
    rb"OFFSET \d+|SIZE \d+( \([^)]*\))?|(DATASET|GROUP|DATATYPE|UNKNOWN_OBJ)?\s*\d{4,}:?\d*|#\d+"
)


def dumped(path: Path, limit: int) -> tuple[object, bytes]:
    command = [tool("h5dump"), "-p", "-B", path.name]
    try:
        done = subprocess.run(
            command, cwd=path.parent, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "no end", b""
    return done.returncode, PLACES.sub(b"", done.stdout)


def times_and_links(path: Path) -> list[str]:
    """When objects were changed, and how many links lead to them, as h5ls tells it."""
    command = [tool("h5ls"), "-r", "-v", path]
    try:
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)
    except subprocess.TimeoutExpired:
        return []
    lines = done.stdout.decode(errors="replace").splitlines()
    return [line for line in lines if "Modified:" in line or "Links:" in line]


def linked(folder: Path, corpus: Path) -> Path:
    """The carved files, and beside them those that were not."""
    place = folder / corpus.relative_to("/")
    for path in corpus.rglob("*"):
        beside = place / path.relative_to(corpus)
        if path.is_file() and path.suffix != ".qtrace" and not beside.exists():
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.symlink_to(path)
    return place


def test_other_peoples_files_are_the_same_when_all_is_kept(
    corpus: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    files = sorted(path for path in corpus.rglob("*.h5") if path.is_file())
    lines = "".join(f"{path}\n" for path in files)
    record(tmp_path, sys.executable, PROGRAMS / "open_files.py", input=lines)
    words = ["carve", "-o", tmp_path / "small", "--keep", "*", tmp_path / "t", "--json"]
    done = quarry(*words, cwd=tmp_path, timeout=300)
    fates = json.loads(done.stdout)["files"]
    assert done.returncode == 0 and len(fates) > 300, done.stderr
    assert reasons_of(fates) == WHY_WHOLE
    place = linked(tmp_path / "small", corpus)
    carved = [Path(fate["original"]) for fate in fates if not fate["why_whole"]]
    if not request.config.getoption("--slow"):
        seed = random.Random(os.environ["QUARRY_SEED"] + " some files").randrange(10**9)
        print("seed", seed)
        carved = random.Random(seed).sample(carved, 80)

    def differs(old: Path) -> bool:
        new = place / old.relative_to(corpus)
        if times_and_links(old) != times_and_links(new):
            return True
        # Some have more elements than anybody could print; a busy machine takes longer for all.
        return dumped(old, 5) != dumped(new, 5) and dumped(old, 60) != dumped(new, 60)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        differing = [old.name for old, other in zip(carved, pool.map(differs, carved)) if other]
    # References to what was deleted become references to nothing.
    assert set(differing) <= {"trefer_obj_del.h5"}


def test_sources_of_virtual_datasets_are_carved_with_them(tmp_path: Path) -> None:
    for number in range(3):
        with h5py.File(tmp_path / f"source{number}.h5", "w") as f:
            f["x"] = np.arange(20000) + number
            f["unused"] = np.random.default_rng(0).random(20000)
    layout = h5py.VirtualLayout((3, 20000), "i8")
    for number in range(3):
        layout[number] = h5py.VirtualSource(f"source{number}.h5", "x", (20000,))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_virtual_dataset("all", layout)
        f.create_virtual_dataset("unread", layout)
    # The third is not read, and in no trace.
    program = "import h5py; print(h5py.File('in.h5')['all'][:2].sum())"
    before = run(tmp_path, program)
    fates = {Path(one["original"]).name: one for one in carve(tmp_path, "t")["files"]}
    assert sorted(fates) == ["in.h5", "source0.h5", "source1.h5", "source2.h5"]
    for number in range(3):
        kept = {one["paths"][0]: one["kept"] for one in fates[f"source{number}.h5"]["datasets"]}
        assert kept == {"/x": True, "/unused": False}
    for file in tmp_path.glob("*.h5"):
        file.unlink()
    folder = copy_of(tmp_path / "in.h5").parent
    again = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert again.stdout == before.stdout
    with h5py.File(folder / "in.h5") as new:
        assert (new["all"][2] == np.arange(20000) + 2).all()
        assert refuses(new["unread"])


def test_external_links_and_raw_files_are_carved_with_their_users(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    np.arange(30000.0).tofile(folder / "raw.bin")
    with h5py.File(folder / "other.h5", "w") as f:
        f["deep/x"] = np.arange(20000)
        f["unused"] = np.random.default_rng(0).random(20000)
    with h5py.File(folder / "in.h5", "w") as f:
        f["link"] = h5py.ExternalLink("other.h5", "/deep")
        f.create_dataset("outside", (30000,), "f8", external=[("raw.bin", 0, h5py.h5f.UNLIMITED)])
    program = "import h5py; f = h5py.File('in.h5'); print(f['link/x'][:].sum(), f['outside'][7])"
    before = run(folder, program)
    fates = {Path(one["original"]).name: one for one in carve(folder, "t")["files"]}
    assert sorted(fates) == ["in.h5", "other.h5", "raw.bin"]
    for name in fates:
        (folder / name).unlink()
    place = copy_of(folder / "in.h5").parent
    again = subprocess.run(
        [sys.executable, "-c", program], cwd=place, capture_output=True, text=True, check=True
    )
    assert again.stdout == before.stdout
    with h5py.File(place / "other.h5") as new:
        assert refuses(new["unused"])


def chunked(folder: Path) -> Path:
    values = np.random.default_rng(3).random((400, 300))
    with h5py.File(folder / "in.h5", "w", libver=("v110", "v110")) as f:
        for name, options in {
            "plain": {},
            "gzip": {"compression": 4, "shuffle": True, "fletcher32": True},
            "growing": {"maxshape": (None, 300)},
            "both": {"maxshape": (None, None), "compression": 1},
        }.items():
            f.create_dataset(name, data=values, chunks=(50, 60), **options)
        f.create_dataset("gaps", (400, 300), "f8", chunks=(50, 60), fillvalue=7)[:50] = values[:50]
        f.create_dataset("words", data=["word"] * 20000, chunks=(100,), dtype=h5py.string_dtype())
    with h5py.File(folder / "old.h5", "w", libver="earliest") as f:
        f.create_dataset("gzip", data=values, chunks=(50, 60), compression=4)
    return folder / "in.h5"


CHUNKED = """
import h5py
f, old = h5py.File("in.h5"), h5py.File("old.h5")
for data in (f["plain"], f["gzip"], f["growing"], f["both"], f["gaps"], old["gzip"]):
    print(data[10:20, 5:130].sum(), data[399, 299], data[::199, 70].sum())
print(f["words"][5])
"""


def test_only_chunks_that_were_read_are_kept(tmp_path: Path) -> None:
    file = chunked(tmp_path)
    before = run(tmp_path, CHUNKED)
    carved = carve(tmp_path, "t", "--granularity", "chunk")
    fates = {f["original"]: {d["paths"][0]: d for d in f["datasets"]} for f in carved["files"]}
    assert fates[str(file)]["/words"]["kept"]
    for name in ("plain", "gzip", "growing", "both", "gaps"):
        fate = fates[str(file)][f"/{name}"]
        assert not fate["kept"] and 0 < fate["kept_bytes"] < fate["bytes"], fate
    folder = copy_of(file).parent
    again = subprocess.run(
        [sys.executable, "-c", CHUNKED], cwd=folder, capture_output=True, text=True, check=True
    )
    assert again.stdout == before.stdout
    with h5py.File(file) as old, h5py.File(folder / "in.h5", "r+") as new:
        for name in ("plain", "gzip", "growing", "both", "gaps"):
            assert (new[name][0:50, 0:180] == old[name][0:50, 0:180]).all()
            with pytest.raises(OSError, match="not registered|find plugin"):
                new[name][60 if name != "gaps" else 0, 200]
            with pytest.raises(OSError, match="not registered"):
                new[name][60, 200] = 5
        # What was never written has its fill value still.
        assert (new["gaps"][60:, :] == 7).all()
        assert new["gaps"].fillvalue == 7
    assert (folder / "in.h5").stat().st_size < file.stat().st_size / 2


def test_coordinates_of_what_was_read_are_kept(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as d:
        d.createDimension("y", 100)
        d.createDimension("x", 100)
        for name in ("lon", "unused"):
            d.createVariable(name, "f8", ("y", "x"))[:] = 1
        data = d.createGroup("model")
        data.createVariable("lat", "f8", ("y", "x"))[:] = 2
        variable = data.createVariable("temperature", "f8", ("y", "x"))
        variable[:] = 3
        variable.coordinates = "lat lon nowhere"
    run(tmp_path, "import netCDF4; print(netCDF4.Dataset('in.nc')['model/temperature'][0])")
    for words in ((), ("--dry-run",)):
        (fate,) = carve(tmp_path, "t", *words)["files"]
        kept = {one["paths"][0]: one["kept"] for one in fate["datasets"]}
        assert kept["/lon"] and kept["/model/lat"] and not kept["/unused"]


@pytest.mark.parametrize("user_block", (0, 512))
@pytest.mark.parametrize("libver", ("earliest", "v110"))
def test_what_is_missing_can_be_found_in_the_original(
    tmp_path: Path, libver: str, user_block: int
) -> None:
    file = tmp_path / "in.h5"
    values = np.random.default_rng(3).random((400, 300))
    options = {"userblock_size": user_block, "libver": (libver, "v110")}
    with h5py.File(file, "w", **options) as f:
        f.create_dataset("gzip", data=values, chunks=(50, 60), compression=4)
        f["contiguous"] = values
        for number in range(40):
            f["contiguous"].attrs[f"attribute {number}"] = "text" * number
        f.create_dataset("used", data=values, chunks=(50, 60))
    run(tmp_path, "import h5py; h5py.File('in.h5')['used'][3, 100]")
    carve(tmp_path, "t", "--granularity", "chunk")
    found = Missing(tmp_path / "small/quarry-carved" / file.relative_to("/"))
    assert found.original == str(file) and found.size == file.stat().st_size
    assert found.modified == file.stat().st_mtime_ns
    raw = file.read_bytes()
    assert found.headers[0][0] == user_block and len(found.headers) >= 5
    assert found.checksum == checksum(b"".join(raw[at : at + size] for at, size in found.headers))
    assert sorted(found.datasets) == ["/contiguous", "/gzip", "/used"]
    with h5py.File(file) as f:
        for name in ("gzip", "used"):
            creation, pieces = found.datasets[f"/{name}"]
            assert creation
            assert len(pieces) == 40
            for address, size, mask, kept, offset in pieces:
                assert f[name].id.read_direct_chunk(offset) == (mask, raw[address : address + size])
                assert kept == (name == "used" and offset == (0, 60))
        (piece,) = found.datasets["/contiguous"][1]
        assert raw[piece[0] : piece[0] + piece[1]] == values.tobytes()


# Ways for HDF5 to come from a virtual dataset to its source, each with what the program does so.
WAYS = {
    "link": ("source.h5", "link", ""),
    "external": ("source.h5", "outside", ""),
    "dot": ("source.h5", "./d", ""),
    "slashes": ("source.h5", "//group//d/", ""),
    "variable": ("there.h5", "d", "os.environ['HDF5_VDS_PREFIX'] = 'elsewhere'"),
    "list": ("there.h5", "d", "access.set_virtual_prefix(b'elsewhere')"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layout", ("contiguous", "compact"))
def test_sources_are_found_as_hdf5_finds_them(tmp_path: Path, way: str, layout: str) -> None:
    """HDF5 reads fill values without a word where it does not find one."""
    (tmp_path / "elsewhere").mkdir()
    for name in ("source.h5", "elsewhere/there.h5"):
        with h5py.File(tmp_path / name, "w") as f:
            values = np.arange(1000)
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            if layout == "compact":
                creation.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple(values.shape)
            d = h5py.h5d.create(f.id, b"d", h5py.h5t.NATIVE_INT64, space, creation)
            d.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
            f["group/d"] = f["d"]
            f["link"] = h5py.SoftLink("/group/d")
            f["outside"] = h5py.ExternalLink("elsewhere/there.h5", "/link")
    file, dataset, before = WAYS[way]
    virtual = h5py.VirtualLayout((1000,), "i8")
    virtual[:] = h5py.VirtualSource(file, dataset, (1000,))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_virtual_dataset("virtual", virtual, fillvalue=-1)
    program = f"""
import h5py, os
access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
{before}
f = h5py.File("in.h5")
print(h5py.Dataset(h5py.h5d.open(f.id, b"virtual", access))[[3, 999]])
"""
    assert run(tmp_path, program).stdout == "[  3 999]\n"
    done = quarry("carve", "t", "-o", "small", "--keep-below", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    for one in [*tmp_path.glob("*.h5"), *tmp_path.glob("*/*.h5")]:
        one.unlink()
    words = ("run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", program)
    assert quarry(*words, cwd=tmp_path).stdout == "[  3 999]\n"


def test_patterns_that_match_nothing_are_named(rich: Path) -> None:
    folder = rich.parent
    run(folder, "import h5py; h5py.File('in.h5')['mu'][0]")
    words = ("--keep", "/alpha", "--drop", "zeta", "--dry-run")
    done = quarry("carve", "t", "-o", "small", *words, cwd=folder)
    assert "no dataset matches zeta" in done.stderr and "/alpha" not in done.stderr
    done = quarry("carve", "t", "-o", "small", "--file", "*.nc", cwd=folder)
    assert done.returncode == 125 and "--file" in done.stderr


def test_explain_tells_what_is_there_and_why(tmp_path: Path) -> None:
    file = chunked(tmp_path)
    run(tmp_path, CHUNKED)
    words = ("carve", "t", "-o", "small", "--granularity", "chunk", "--drop", "/words")
    done = quarry(*words, cwd=tmp_path)
    assert "kept  in part  left out" in done.stdout
    done = quarry("explain", "small", cwd=tmp_path)
    assert done.returncode == 0
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if "/" in line}
    assert lines["/gzip"].startswith("partly") and "some of its chunks were read" in lines["/gzip"]
    assert lines["/words"].startswith("hollow") and "to be left out" in lines["/words"]
    assert "saved" in done.stdout.splitlines()[-1]
    told = json.loads(quarry("explain", "small", "--json", cwd=tmp_path).stdout)
    manifest = json.loads((tmp_path / "small/quarry-carved.json").read_text())
    assert [one["original"] for one in told["files"]] == [
        one["original"] for one in manifest["files"]
    ]
    (first,) = (one for one in told["files"] if one["original"] == str(file))
    assert all(d["saved"] <= d["bytes"] for d in first["datasets"])
    done = quarry("explain", ".", cwd=tmp_path)
    assert done.returncode == 125 and "holds no carved files" in done.stderr


def test_h5dump_lists_what_is_missing_and_fails(tmp_path: Path) -> None:
    file = chunked(tmp_path)
    with h5py.File(file, "r+") as f:
        for name in ("plain", "gzip", "both"):
            f[name].attrs["unit"] = "kelvin"
    run(tmp_path, "import h5py; f = h5py.File('in.h5'); f['plain'][0, 0], f['both'][...]")
    carve(tmp_path, "t", "--granularity", "chunk")

    def dump(*words: str) -> subprocess.CompletedProcess:
        command = [tool("h5dump"), *words, copy_of(file)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    for name, is_there in (("plain", False), ("gzip", False), ("both", True)):
        done = dump("-d", f"/{name}")
        assert f'DATASET "/{name}"' in done.stdout and '"kelvin"' in done.stdout
        assert (done.returncode == 0) == is_there
        assert ("unable to print data" in done.stderr) != is_there
        assert ("(399," in done.stdout) == is_there
    assert dump("-d", "/plain", "-s", "0,0", "-c", "2,2").stdout.count("(1,0):") == 1
    # h5dump itself says nothing of what it cannot read of a part.
    assert "(1,0):" not in dump("-d", "/gzip", "-s", "0,0", "-c", "2,2").stdout
    for words in (("-H",), ("-A",)):
        assert dump(*words).returncode == 0
    assert dump().returncode != 0


def test_a_dataset_of_which_all_chunks_were_read_is_whole(tmp_path: Path) -> None:
    file = chunked(tmp_path)
    run(tmp_path, "import h5py; d = h5py.File('in.h5')['gzip']; d[0:400:50, 0:300:60]")
    fates = {
        one["paths"][0]: one
        for one in carve(tmp_path, "t", "--granularity", "chunk")["files"][0]["datasets"]
    }
    assert fates["/gzip"]["kept"] and "every chunk" in fates["/gzip"]["why"]
    with h5py.File(copy_of(file)) as new:
        assert new["gzip"].id.get_create_plist().get_nfilters() == 3


def test_references_in_a_row_are_followed_at_once(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["large"] = np.zeros(1_000_000)
        row = [f.create_dataset(f"{number:03}", data=np.arange(100.0)) for number in range(60)]
        for one, next_one in itertools.pairwise(row):
            one.attrs["next"] = next_one.ref
    run(tmp_path, "import h5py; f = h5py.File('in.h5'); f['000'][0], f['large'][0]")
    words = ["carve", "t", "-o", "small", "--keep-below", "0"]
    carving = subprocess.Popen([QUARRY, *words], cwd=tmp_path, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(carving.pid, 0)
    assert status == 0
    assert used.ru_oublock * 512 < 5 * 8_000_000
    with h5py.File(copy_of(tmp_path / "in.h5")) as f:
        assert f["059"][5] == 5


@pytest.mark.parametrize("libver", ("earliest", "v110"))
def test_a_hollow_dataset_takes_little_more_than_its_header_did(
    tmp_path: Path, libver: str
) -> None:
    count, guard = 1000, 40  # bytes of the filter that keeps others from taking it for a whole one
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver=libver) as f:
        for number in range(count):
            d = f.create_dataset(f"g{number % 10}/d{number}", data=np.arange(16))
            d.attrs["units"], d.attrs["number"], d.attrs["valid_range"] = "m", number, [0.0, 1.0]
    run(tmp_path, "import h5py; h5py.File('in.h5')")
    carve(tmp_path, "t", "--drop", "*", "--keep-below", "0")
    metadata = path.stat().st_size - count * 16 * 8
    assert copy_of(path).stat().st_size <= 1.02 * metadata + count * guard


def test_data_that_is_allocated_early_is_allocated_once(tmp_path: Path) -> None:
    """As parallel programs write it. Its dataset is made anew, for it refers to its axes."""
    path = tmp_path / "in.h5"
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(256)
        f["x"].make_scale("x")
        for number in range(10):
            space = h5py.h5s.create_simple((256, 256))
            name = f"v{number}".encode()
            h5py.h5d.create(f.id, name, h5py.h5t.NATIVE_DOUBLE, space, early)
            variable = f[name]
            variable[...] = number
            variable.dims[0].attach_scale(f["x"])
            for attribute in ("units", "long_name", "standard_name"):
                variable.attrs[attribute] = f"{attribute} of {number}"
    run(tmp_path, "import h5py; f = h5py.File('in.h5'); [f[name][...] for name in f]")
    carve(tmp_path, "t")
    assert copy_of(path).stat().st_size <= path.stat().st_size + (64 << 10)
