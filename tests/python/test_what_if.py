"""What would be moved in another layout, against what then is moved on real files."""

import json
import os
import random
import sys
from pathlib import Path

import pytest

from cli import QUARRY, quarry, record

# The same accesses, to a dataset that is stored in the way that it is told.
PROGRAM = """
import json, sys, h5py, numpy as np
spec = json.load(open(sys.argv[1]))
layout = json.load(open(sys.argv[2]))
shape = tuple(spec["shape"])
options = {}
if layout["chunks"]:
    options["chunks"] = tuple(layout["chunks"])
    if spec["compressed"]: options["compression"] = 1
# Noise: how well it compresses does not depend on the shape of the chunks.
values = np.random.default_rng(1).random(shape)
if spec["made"] == "before":
    with h5py.File("data.h5", "w") as f: f.create_dataset("x", data=values, **options)
"""
USE = """
import json, sys, h5py, numpy as np
spec = json.load(open(sys.argv[1]))
layout = json.load(open(sys.argv[2]))
options = {}
if layout["chunks"]:
    options["chunks"] = tuple(layout["chunks"])
    if spec["compressed"]: options["compression"] = 1
more = {"rdcc_nbytes": layout["cache"]} if layout["cache"] else {}
with h5py.File("data.h5", "r" if spec["made"] == "before" else "w", **more) as f:
    if spec["made"] != "before":
        if spec["filled"]: options["fillvalue"] = 9.5
        f.create_dataset("x", shape=tuple(spec["shape"]), dtype="f8", **options)
    d = f["x"]
    rng = np.random.default_rng(1)
    for selection in spec["accesses"]:
        where = tuple(slice(*part) for part in selection)
        if spec["made"] == "before": d[where]
        else: d[where] = rng.random([len(range(*s.indices(n))) for s, n in zip(where, d.shape)])
"""


def any_spec(draw: random.Random) -> dict:
    shape = [draw.choice([200, 500, 900]) for _ in range(2)]
    kind = draw.choice(["rows", "columns", "boxes", "points", "strides"])
    accesses = []
    for number in range(draw.choice([40, 150])):
        if kind == "rows":
            first = number % shape[0]
            accesses.append([[first, first + 1], [0, shape[1]]])
        elif kind == "columns":
            first = number % shape[1]
            accesses.append([[0, shape[0]], [first, first + 1]])
        elif kind == "strides":
            accesses.append([[number % 5, shape[0], 7], [0, draw.randint(1, shape[1])]])
        else:
            size = 1 if kind == "points" else 60
            corner = [draw.randrange(length) for length in shape]
            accesses.append([[at, min(at + size, n)] for at, n in zip(corner, shape)])
    made = draw.choice(["before", "now"])
    # How well a chunk compresses that is only partly written nobody can know.
    compressed = made == "before" and draw.random() < 0.5
    filled = draw.random() < 0.5
    return {
        "shape": shape, "accesses": accesses, "compressed": compressed, "made": made, "filled": filled
    }  # fmt: skip


def any_layout(draw: random.Random, spec: dict) -> dict:
    cache = draw.choice([0, 0, 100_000, 500_000, 20_000_000])
    if draw.random() < 0.25 and not spec["compressed"]:
        return {"chunks": None, "cache": 0}
    return {"chunks": [draw.choice([10, 33, 100, 200]) for _ in range(2)], "cache": cache}


def record_layout(folder: Path, name: str, spec: dict, layout: dict) -> Path:
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / f"{name}.json").write_text(json.dumps(layout))
    words = ["spec.json", f"{name}.json"]
    (folder / "data.h5").unlink(missing_ok=True)
    if spec["made"] == "before":
        done = quarry("run", "--no-trace", "--", sys.executable, "-c", PROGRAM, *words, cwd=folder)
        assert done.returncode == 0, done.stderr
    record(folder, sys.executable, "-c", USE, *words, trace=name)
    return folder / name


def close_to(foretold: dict, found: dict) -> bool:
    """Within a tenth, or so few that one more makes the difference."""
    for field in ("reads", "writes", "bytes_read", "bytes_written"):
        few = 2 if field in {"reads", "writes"} else 200_000
        if abs(foretold[field] - found[field]) > max(found[field] / 10, few):
            return False
    return True


@pytest.mark.parametrize("case", range(16))
def test_what_is_foretold_happens(tmp_path: Path, case: int) -> None:
    seed = random.Random(f"{os.environ['QUARRY_SEED']} what if {case}").randrange(10**9)
    print("seed", seed)
    draw = random.Random(seed)
    spec = any_spec(draw)
    before = any_layout(draw, spec) | {"cache": 0}
    after = any_layout(draw, spec)
    trace = record_layout(tmp_path, "before", spec, before)
    options = []
    if after["chunks"]:
        options += ["--chunks", "x".join(map(str, after["chunks"]))]
        options += ["--cache", after["cache"]] if after["cache"] else []
    else:
        options += ["--contiguous"]
    done = quarry("what-if", "--object", "/x", "--json", *options, trace)
    assert done.returncode == 0, done.stderr
    foretold = json.loads(done.stdout)
    happened = record_layout(tmp_path, "after", spec, after)
    after_all = json.loads(quarry("what-if", "--object", "/x", "--json", happened).stdout)
    print(spec["made"], spec["compressed"], spec["filled"], before, after, spec["accesses"][:3])
    assert close_to(foretold["replayed"], foretold["measured"]), foretold
    assert close_to(foretold["predicted"], after_all["measured"]), (foretold, after_all)


MAKE_FILLED = """
import h5py
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", (1000, 1000), fillvalue=3.0)[:100] = 1
"""
REOPEN = "import h5py; h5py.File('data.h5')['x'][:10]"


def test_what_a_dataset_was_made_with_is_not_forgotten_when_it_is_opened(tmp_path: Path) -> None:
    for program in (MAKE_FILLED, REOPEN):
        record(tmp_path, sys.executable, "-c", program)
    foretold = json.loads(quarry("what-if", "--object", "/x", "--json", tmp_path / "t").stdout)
    assert foretold["measured"]["bytes_written"] >= 4_000_000
    assert close_to(foretold["replayed"], foretold["measured"]), foretold


RUNS = """
import h5py, numpy as np, sys
chunks = tuple(map(int, sys.argv[1].split("x")))
values = np.repeat(np.random.default_rng(1).random((1000, 100)), 10, axis=1)
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", data=values, chunks=chunks, compression=4, shuffle=True)
"""
COLUMNS = """
import h5py
d = h5py.File("data.h5", "r")["x"]
for i in range(0, 1000, 20): d[:, i]
"""


def test_how_well_data_would_compress_is_tried_on_the_file(tmp_path: Path) -> None:
    def recorded(name: str, chunks: str) -> Path:
        make = [sys.executable, "-c", RUNS, chunks]
        assert quarry("run", "--no-trace", "--", *make, cwd=tmp_path).returncode == 0
        record(tmp_path, sys.executable, "-c", COLUMNS, trace=name)
        return tmp_path / name

    def foretold(*words: object) -> dict:
        done = quarry("what-if", "--object", "/x", "--json", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    # Along a row ten values are the same, down a column none.
    trace = recorded("before", "100x100")
    answer = foretold("--chunks", "1000x1", trace)
    assert answer["caution"] == ""
    measured = foretold(recorded("after", "1000x1"))["measured"]
    assert abs(answer["predicted"]["bytes_read"] - measured["bytes_read"]) < (
        measured["bytes_read"] / 10
    )
    assert abs(answer["predicted"]["reads"] - measured["reads"]) <= measured["reads"] / 10
    # As well as before would be wrong by far.
    assert answer["measured"]["bytes_read"] / 8e6 < 0.5

    (tmp_path / "data.h5").unlink()
    answer = foretold("--chunks", "1000x1", trace)
    assert "could not be tried" in answer["caution"] and "data.h5" in answer["caution"]


def test_it_does_not_record_itself(tmp_path: Path) -> None:
    make = [sys.executable, "-c", RUNS, "100x100"]
    assert quarry("run", "--no-trace", "--", *make, cwd=tmp_path).returncode == 0
    record(tmp_path, sys.executable, "-c", COLUMNS)
    words = ["what-if", "--object", "/x", "--chunks", "50x50", tmp_path / "t"]
    record(tmp_path, QUARRY, *words, trace="other")
    told = quarry("ls", "--json", "other", cwd=tmp_path)
    if told.returncode == 0:  # otherwise there was nothing to record
        assert not [file for file in json.loads(told.stdout)["files"] if file["driver"]]


FILE = """
import h5py, numpy as np, sys
count, page = int(sys.argv[1]), int(sys.argv[2])
options = {"fs_strategy": "page", "fs_page_size": page} if page else {}
rng = np.random.default_rng(1)
with h5py.File("data.h5", "w", **options) as f:
    for i in range(count):
        chunks = (300,) if i % 5 == 0 else None
        d = f.create_dataset(f"g{i % 20}/d{i}", data=rng.random(300 if i % 3 else 40000), chunks=chunks)
        d.attrs["unit"] = "m"
"""
VISIT = """
import h5py, sys
count, buffer = int(sys.argv[1]), int(sys.argv[2])
with h5py.File("data.h5", "r", **({"page_buf_size": buffer} if buffer else {})) as f:
    for i in range(0, count, 2): f[f"g{i % 20}/d{i}"][:]; f[f"g{i % 20}/d{i}"].attrs["unit"]
"""


@pytest.mark.parametrize(
    ("page", "buffer", "count"),
    [(4096, 1 << 20, 400), (16384, 1 << 18, 600), (65536, 1 << 24, 600), (1 << 20, 1 << 24, 1500)],
)
def test_what_pages_would_bring(tmp_path: Path, page: int, buffer: int, count: int) -> None:
    def foretold(name: str) -> dict:
        options = ["--file", "data.h5", "--paged", page, "--page-buffer", buffer, "--json"]
        done = quarry("what-if", *options, name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    record(tmp_path, sys.executable, "-c", FILE, count, 0, trace="make")
    record(tmp_path, sys.executable, "-c", VISIT, count, 0, trace="before")
    answer = foretold("before")
    assert answer["caution"] == "" and answer["predicted"]["reads"] < answer["measured"]["reads"]
    record(tmp_path, sys.executable, "-c", FILE, count, page, trace="make again")
    record(tmp_path, sys.executable, "-c", VISIT, count, buffer, trace="after")
    measured = foretold("after")["measured"]
    for field in ("reads", "bytes_read"):
        assert abs(answer["predicted"][field] - measured[field]) <= measured[field] / 10, field
    (tmp_path / "data.h5").unlink()
    assert "could not be seen" in foretold("before")["caution"]


def test_what_pages_cannot_be_is_said(tmp_path: Path) -> None:
    done = quarry("what-if", "--paged", "100", tmp_path)
    assert done.returncode == 2 and "at least 512" in done.stderr
    done = quarry("what-if", tmp_path)
    assert done.returncode == 2 and "--object" in done.stderr and "--paged" in done.stderr
