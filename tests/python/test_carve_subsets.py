"""Other people's files, with everything kept or any part of it: what is kept is read as before, by whatever reads it."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import h5py
import pytest
from carving import PROGRAMS, tool, verify
from own_files import MAY_BE_WHOLE

from cli import quarry, record

# After which a tool is said not to end. A busy machine takes longer for all, so differences are looked at again.
SECONDS, AGAIN = 5, 60
MOST = 25  # datasets of a file that are looked at with each tool

# Reads a part of each dataset that is named, and tells which files could be opened.
READ_PARTS = """
import h5py, sys
for line in sys.stdin:
    path, *names = line.rstrip("\\n").split("\\t")
    try:
        with h5py.File(path) as file:
            print(path)
            for name in names:
                data = file[name]
                if data.size and data.size < 1e6:
                    data[tuple(slice(0, (n + 1) // 2) for n in data.shape)]
    except Exception:
        pass
"""


@dataclass
class Subset:
    """A file of which some datasets are kept."""

    original: Path
    copy: Path
    trace: Path | None  # none of what was needed by others only
    kept: list[str]
    left_out: list[str]


class Carver:
    """Carves the files of a sample, with the same names kept in all of them."""

    def __init__(self, folder: Path, files: list[Path], draw: random.Random) -> None:
        self.folder, self.files, self.draw = folder, files, draw
        self.opened = self._trace([[path] for path in files])
        self.datasets = {
            Path(fate["original"]): [one["paths"][0] for one in fate["datasets"]]
            for fate in self._carve("--dry-run")
        }

    def _trace(self, reads: list[list]) -> set[Path]:
        lines = "".join("\t".join(map(str, words)) + "\n" for words in reads)
        read = (sys.executable, "-c", READ_PARTS)
        told = record(self.folder, *read, input=lines, timeout=600).stdout
        return set(map(Path, told.splitlines()))

    def _carve(self, *words: object) -> list[dict]:
        words = ("carve", "t", "-o", "small", "--json", *words)
        done = quarry(*words, cwd=self.folder, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["files"]

    def carve(self, way: str) -> list[Subset]:
        words = ["--granularity", "chunk" if way == "chunk" else "object", "--keep-below", "0"]
        if way == "all":
            words += ["--keep", "*"]
        else:
            names = sorted({name for names in self.datasets.values() for name in names})
            for name in self.draw.sample(names, len(names) // 3):
                words += ["--keep", re.sub(r"[*?\[\\]", r"\\\g<0>", name)]
            some = {path: self.draw.sample(n, len(n) // 3) for path, n in self.datasets.items()}
            self._trace([[path, *names] for path, names in some.items()])
        fates = self._carve(*words)
        assert self.opened <= {Path(fate["original"]) for fate in fates}
        carved = [fate for fate in fates if not fate["why_whole"]]
        whole = [fate for fate in fates if fate["why_whole"]]
        assert {Path(fate["original"]).name for fate in whole} <= MAY_BE_WHOLE, whole
        return [self._subset(fate, way) for fate in carved]

    def _subset(self, fate: dict, way: str) -> Subset:
        path, copy = Path(fate["original"]), self.folder / "small" / fate["copy"]
        place_beside(path, copy)
        datasets = fate["datasets"]
        kept = [one["paths"][0] for one in datasets if one["kept"]]
        empty = [one["paths"][0] for one in datasets if not one["kept"] and not one["kept_bytes"]]
        assert way != "all" or len(kept) == len(datasets), datasets
        trace = self.folder / "t" if path in self.files else None
        return Subset(path, copy, trace, kept, empty)


def place_beside(original: Path, copy: Path) -> None:
    """What lies beside the original and was not carved may be needed, by external links, say."""
    for path in original.parent.iterdir():
        beside = copy.parent / path.name
        if not beside.exists():
            beside.symlink_to(path)


# What h5dump tells of where in a file things are: what references lead to, and types without a name.
PLACES = re.compile(rb"(DATASET|GROUP|DATATYPE|UNKNOWN_OBJ) \d+|#\d+")


def outcome(program: str, *words: object, folder: Path, seconds: int) -> tuple[object, bytes]:
    """What a tool says, an error, or that it does not end."""
    command = [tool(program), *map(str, words)]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return "no end", b""
    return done.returncode, PLACES.sub(b"", done.stdout)


def differs_with_h5diff(one: Subset, seconds: int) -> list[str]:
    def diff(path: Path, name: str) -> object:
        words = (one.original, path, name, name)
        return outcome("h5diff", *words, folder=path.parent, seconds=seconds)[0]

    different = [name for name in one.kept[:MOST] if diff(one.copy, name) != 0]
    if not different:
        return []
    # A file is not compared with itself; what cannot be read differs from what cannot be read.
    same = one.copy.with_suffix(".same")
    shutil.copy(one.original, same)
    return [f"h5diff {name}" for name in different if diff(one.copy, name) != diff(same, name)]


def differs_with_h5dump(one: Subset, seconds: int) -> list[str]:
    if not one.kept:
        return []
    words = [word for name in one.kept[:MOST] for word in ("-d", name)]
    old, new = (
        outcome("h5dump", *words, path.name, folder=path.parent, seconds=seconds)
        for path in (one.original, one.copy)
    )
    return [] if old == new else ["h5dump"]


def has_text(kind: h5py.h5t.TypeID) -> bool:
    if isinstance(kind, h5py.h5t.TypeCompoundID):
        return any(has_text(kind.get_member_type(at)) for at in range(kind.get_nmembers()))
    if isinstance(kind, h5py.h5t.TypeArrayID):
        return has_text(kind.get_super())
    return isinstance(kind, h5py.h5t.TypeStringID) and kind.get_size() > 1


def overruns_netcdf(path: Path) -> bool:
    """netCDF takes text in compound types for single characters, and reads beyond what it has room for."""

    def is_such(_: str, one: h5py.HLObject) -> bool | None:
        kind = one.id.get_type() if isinstance(one, h5py.Dataset) else None
        return isinstance(kind, h5py.h5t.TypeCompoundID) and has_text(kind) or None

    try:
        with h5py.File(path) as file:
            return bool(file.visititems(is_such))
    except (OSError, RuntimeError, TypeError, ValueError):
        return False  # what h5py cannot walk through, netCDF cannot open


def is_left_to_chance(one: Subset) -> bool:
    """What netCDF may crash on, or not. After a dataset without elements it may do so at its end."""
    return one.original.name == "test_ld.h5" or overruns_netcdf(one.original)


def differs_with_ncdump(one: Subset, seconds: int) -> list[str]:
    names = [name for name in one.kept[:MOST] if "," not in name]
    if not names or is_left_to_chance(one):
        return []
    old, new = (
        outcome("ncdump", "-v", ",".join(names), path.name, folder=path.parent, seconds=seconds)
        for path in (one.original, one.copy)
    )
    return [] if old == new else ["ncdump"]


def differs_with_verify(one: Subset) -> list[str]:
    words = ("--trace", one.trace) if one.trace else ()
    found = verify(one.original, one.copy, *words)
    return [f"quarry verify: {some}" for some in found["differences"]]


def differences(one: Subset) -> list[str]:
    found = differs_with_verify(one)
    for differs in (differs_with_h5diff, differs_with_h5dump, differs_with_ncdump):
        found += differs(one, SECONDS) and differs(one, AGAIN)
    return found


def read(lines: list[list], seconds: int, *libraries: str) -> list[dict]:
    """What libraries read of files and their datasets."""
    done = subprocess.run(
        [sys.executable, PROGRAMS / "read_outcomes.py", str(seconds), *libraries],
        input="".join("\t".join(map(str, words)) + "\n" for words in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences_of_reading(subsets: list[Subset], seconds: int) -> list[list[str]]:
    libraries = ("h5py", "netCDF4")
    before = read([[one.original, *one.kept[: 4 * MOST]] for one in subsets], seconds, *libraries)
    after = read([[one.copy, *one.kept[: 4 * MOST]] for one in subsets], seconds, *libraries)
    found = [
        [
            f"{library} {name}: {old[library].get(name)}, now {new[library].get(name)}"
            for library in libraries
            if library == "h5py" or not is_left_to_chance(one)
            for name in sorted({*old[library], *new[library]})
            if old[library].get(name) != new[library].get(name)
            # Where it may crash, it may as well not.
            and not old[library].get("", "").startswith("crashed")
        ]
        for one, old, new in zip(subsets, before, after)
    ]
    if seconds < AGAIN:
        for at, one in enumerate(subsets):
            if found[at]:
                (found[at],) = differences_of_reading([one], AGAIN)
    return found


def not_refused(subsets: list[Subset]) -> list[list[str]]:
    lines = [[one.copy, *one.left_out[: 4 * MOST]] for one in subsets]
    return [
        [f"{name} is read" for name, said in one["h5py"].items() if not said.startswith("refused")]
        for one in read(lines, AGAIN, "h5py")
    ]


NOT_COMPARED = {
    # References to what was deleted become references to nothing.
    "trefer_obj_del.h5",
}
WAYS = ("all", "object", "chunk")


@pytest.mark.parametrize("way", WAYS)
def test_what_is_kept_is_read_as_before(
    way: str, corpus: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    files = sorted(p for p in corpus.rglob("*") if p.suffix in (".h5", ".nc") and p.is_file())
    files = [path for path in files if path.name not in NOT_COMPARED]
    seed = random.Random(os.environ["QUARRY_SEED"] + " subsets").randrange(10**9)
    print("seed", seed)
    draw = random.Random(seed)
    if not request.config.getoption("--slow"):
        netcdf = [path for path in files if path.suffix == ".nc"]
        # Others for each of the ways.
        files = draw.sample(files, 30)[WAYS.index(way) :: len(WAYS)] + netcdf
    subsets = Carver(tmp_path, files, draw).carve(way)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        readings = pool.submit(differences_of_reading, subsets, SECONDS)
        refusals = pool.submit(not_refused, subsets)
        found = pool.map(differences, subsets)
        said = zip(found, readings.result(), refusals.result())
        all_found = {
            str(one.original.relative_to(corpus)): [*chain(*some)]
            for one, some in zip(subsets, said)
        }
    assert {name: some for name, some in all_found.items() if some} == {}
