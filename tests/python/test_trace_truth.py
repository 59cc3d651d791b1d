"""Programs that know what they do are recorded, and the record is compared with what they say.

For the default driver it is also compared, call by call, with what strace saw of the same process.
"""

import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from running import clean_environment

from cli import QUARRY, quarry, record

PROGRAMS = Path(__file__).parent / "programs"
REPOSITORY = Path(__file__).parents[2]
ACCESSES = {
    "h5py": [sys.executable, PROGRAMS / "accesses_h5py.py"],
    "netCDF4": [sys.executable, PROGRAMS / "accesses_netcdf4.py"],
    "C": [REPOSITORY / "build/bin/accesses"],
}
CALL = re.compile(
    r"^\d+ +(?P<name>pread64|pwrite64)\(\d+<(?P<path>[^>]*)>, .*?, (?P<size>\d+), (?P<at>\d+)\)"
    r" += (?P<done>\d+)$"
)


def recorded(trace: Path) -> list[dict]:
    done = quarry("export", trace)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def elements(event: dict, shape: list[int]) -> list:
    """The numbers of the elements that a recorded selection holds."""
    selection = event["selection"]
    if event["chunk"]:
        return ["chunk", *selection["start"], event["elements"]]
    chosen = np.zeros(shape, int)
    if selection == "all":
        chosen[...] = 1
    elif "start" in selection:
        axes = []
        for start, stride, count, block in zip(
            *(selection[key] for key in ("start", "stride", "count", "block"))
        ):
            axes.append([start + i * stride + j for i in range(count) for j in range(block)])
        chosen[np.ix_(*axes)] = 1
    elif "points" in selection:
        # One that is named twice is read twice.
        points = np.array(selection["points"]).reshape(-1, selection["rank"])
        np.add.at(chosen, tuple(points.T), 1)
    else:
        corners = np.array(selection["blocks"]).reshape(-1, 2, selection["rank"])
        for first, last in corners:
            chosen[tuple(slice(a, b + 1) for a, b in zip(first, last))] = 1
    assert chosen.sum() == event["elements"]
    return np.flatnonzero(chosen).tolist()


def seen_by_strace(log: Path, path: str) -> list[tuple[str, int, int]]:
    """What was asked of the system for this file. A call that did only a part is asked on."""
    calls = []
    owed = None
    for line in log.read_text().splitlines():
        call = CALL.match(line)
        if call is None or call["path"] != path:
            continue
        at, size, done = (int(call[key]) for key in ("at", "size", "done"))
        direction = "read" if call["name"] == "pread64" else "write"
        if (direction, at, size) != owed:
            calls.append((direction, at, size))
        # A read that gives nothing has met the end of the file.
        owed = (direction, at + done, size - done) if 0 < done < size else None
    return calls


def run_recorded(folder: Path, program: str, direction: str, seed: int) -> Path:
    trace = folder / f"trace-{direction}"
    command = [*ACCESSES[program], direction, seed, f"{direction}.json"]
    tool = ["strace", "-f", "-y", "-s0", "-etrace=pread64,pwrite64", "-o", f"{direction}.strace"]
    tool = tool if shutil.which("strace") else []
    done = quarry("run", "--trace", trace, "--", *tool, *command, cwd=folder)
    if done.returncode != 0:
        # HDF5 cannot read all that it writes: chunks that were written past their filters, and then again.
        alone = subprocess.run(
            [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False
        )
        if alone.returncode != 0 and "filter returned failure" in alone.stderr:
            pytest.skip(f"HDF5 itself cannot read what it wrote, with seed {seed}")
    assert done.returncode == 0, done.stderr
    return trace


def accesses_in(events: list[dict], facts: dict) -> list:
    shapes = {
        (o["file"], o["path"]): o["dataset"]["shape"] for o in facts["objects"] if "dataset" in o
    }
    return [
        [
            Path(event["file"]).name,
            event["object"],
            event["event"],
            elements(event, shapes[event["file"], event["object"]]),
            event["bytes"],
        ]
        for event in events
        if event["event"] in {"read", "write"}
    ]


def check_accesses(events: list[dict], facts: dict, expected: list) -> None:
    assert accesses_in(events, facts) == expected


def check_calls(ios: list[dict], log: Path) -> None:
    for file in {event["file"] for event in ios}:
        calls = [(e["direction"], e["address"], e["size"]) for e in ios if e["file"] == file]
        assert calls == seen_by_strace(log, file)


def parts(io: dict) -> list[tuple[str | None, int, int]]:
    """Whose bytes they were, from where to where."""
    found, at = [], io["address"]
    for part in io.get("parts", [{"object": io["object"], "bytes": io["size"]}]):
        found.append((part["object"], at, at + part["bytes"]))
        at += part["bytes"]
    assert at == io["address"] + io["size"]
    return found


def check_summary(summary: dict, expected: list, events: list[dict]) -> None:
    """Every count of it, against what was done and what was moved."""
    ios = [e for e in events if e["event"] == "io"]
    rows = {(Path(r["file"]).name, r.get("object")): r for r in summary["usage"]}
    for file, path in {(file, path) for file, path, *_ in expected}:
        row = rows[file, path]
        for direction, calls, size in (
            ("read", "reads", "bytes_selected_read"),
            ("write", "writes", "bytes_selected_written"),
        ):
            done = [
                bytes_ for f, p, d, _, bytes_ in expected if (f, p, d) == (file, path, direction)
            ]
            assert (row[calls], row[size]) == (len(done), sum(done))
    for (file, path), row in rows.items():
        here = [e for e in ios if Path(e["file"]).name == file]
        own = [
            (begin, end, event)
            for event in here
            for owner, begin, end in parts(event)
            if owner == path
        ]
        touched = np.zeros(max((end for _, end, _ in own), default=0), bool)
        for begin, end, _ in own:
            touched[begin:end] = True
        assert row["ios"] == sum(e["object"] == path for e in here)
        for field, of_it in (
            ("bytes_read", lambda event: event["direction"] == "read"),
            ("bytes_written", lambda event: event["direction"] == "write"),
            ("metadata_bytes", lambda event: event["kind"] != "raw"),
        ):
            assert row[field] == sum(end - begin for begin, end, e in own if of_it(e))
        assert row["unique_bytes"] == touched.sum()
    moved = sum(e["size"] for e in ios)
    assert sum(row["bytes_read"] + row["bytes_written"] for row in rows.values()) == moved
    assert summary["uncredited_bytes"] <= moved / 100
    assert not summary["problems"]


def owners_of_raw_data(path: Path) -> tuple[list[tuple[int, int, str]], set[str]]:
    """Where the data of each dataset lie, and the datasets that also use the global heap."""
    import h5py

    owned, heap_users = [], set()
    with h5py.File(path) as file:

        def look(path: str, thing: object) -> None:
            if not isinstance(thing, h5py.Dataset):
                return
            if thing.chunks is None and thing.id.get_offset() is not None:
                owned.append((thing.id.get_offset(), thing.id.get_storage_size(), f"/{path}"))
            for number in range(thing.id.get_num_chunks() if thing.chunks else 0):
                chunk = thing.id.get_chunk_info(number)
                owned.append((chunk.byte_offset, chunk.size, f"/{path}"))
            attributes = (thing.attrs.get_id(name) for name in thing.attrs)
            if thing.dtype == object or any(a.dtype == object for a in attributes):
                heap_users.add(f"/{path}")

        file.visititems(look)
    return owned, heap_users


def check_credit(ios: list[dict]) -> None:
    for file in {event["file"] for event in ios}:
        owned, heap_users = owners_of_raw_data(Path(file))
        for event in ios:
            if event["file"] != file or event["kind"] != "raw":
                continue
            owner = {path for at, size, path in owned if at <= event["address"] < at + size}
            # HDF5 calls the global heap raw data, too; it belongs to whoever is being read.
            assert owner == {event["object"]} or (not owner and event["object"] in heap_users)


def generated(number: int) -> list:
    """As many cases of each program; ten times as many when there is time."""
    more = [pytest.param(case, marks=pytest.mark.slow) for case in range(number, 10 * number)]
    return [*range(number), *more]


@pytest.mark.parametrize("case", generated(12))
@pytest.mark.parametrize("program", ACCESSES)
def test_every_access_and_call_is_recorded_as_it_was(
    tmp_path: Path, program: str, case: int
) -> None:
    seed = random.Random(f"{os.environ['QUARRY_SEED']} {program} {case}").randrange(10**9)
    print("seed", seed)
    for direction in ("write", "read"):
        trace = run_recorded(tmp_path, program, direction, seed)
        events = recorded(trace)
        summary = json.loads(quarry("summary", "--json", trace).stdout)
        expected = json.loads((tmp_path / f"{direction}.json").read_text())
        ios = [e for e in events if e["event"] == "io"]
        check_accesses(events, summary, expected)
        if (log := tmp_path / f"{direction}.strace").exists():
            check_calls(ios, log)
        check_summary(summary, expected, events)
    # Data that are only read lie where they lay.
    check_credit(ios)


# The connector of the tests of faults, for which parts of HDF5 can be made to be missing.
FAULTY = REPOSITORY / "build/tests/faults/plugin"


@pytest.mark.parametrize("fault", ("symbol:H5S_get_select_bounds", "version"))
def test_selections_are_told_by_hdf5s_public_functions_as_well(tmp_path: Path, fault: str) -> None:
    """Where those behind them are not there, or nobody knows what they are in that version."""
    seed = random.Random(f"{os.environ['QUARRY_SEED']} {fault}").randrange(10**9)
    print("seed", seed)
    for direction in ("write", "read"):
        trace = tmp_path / f"trace-{direction}"
        environment = clean_environment() | {
            "HDF5_VOL_CONNECTOR": f"quarry trace={{{trace}}}",
            "HDF5_PLUGIN_PATH": str(FAULTY),
            "QUARRY_FAULT": fault,
        }
        command = [*map(str, ACCESSES["C"]), direction, str(seed), f"{direction}.json"]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
        summary = json.loads(quarry("summary", "--json", trace).stdout)
        expected = json.loads((tmp_path / f"{direction}.json").read_text())
        # Without the driver, files behind external links have no name.
        found = [access[1:] for access in accesses_in(recorded(trace), summary)]
        assert found == [access[1:] for access in expected]


def test_many_processes_at_once(tmp_path: Path) -> None:
    """Different programs, in different places, into one trace."""
    draw = random.Random(f"{os.environ['QUARRY_SEED']} at once")
    seeds = [draw.randrange(10**9) for _ in range(6)]
    print("seeds", seeds)
    trace = tmp_path / "trace"
    for direction in ("write", "read"):
        running = []
        for number, seed in enumerate(seeds):
            folder = tmp_path / str(number)
            folder.mkdir(exist_ok=True)
            command = [*ACCESSES["C" if number % 2 else "h5py"], direction, seed]
            words = ["run", "--trace", trace, "--task", f"{direction} {number}", "--"]
            running.append(
                subprocess.Popen(
                    [QUARRY, *map(str, words), *map(str, command), f"{direction}.json"],
                    cwd=folder,
                    env=clean_environment(),
                )
            )
        assert [process.wait() for process in running] == [0] * len(seeds)
    events = recorded(trace)
    summary = json.loads(quarry("summary", "--json", trace).stdout)
    assert summary["uncredited_bytes"] == 0 and not summary["problems"]
    for number in range(len(seeds)):
        for direction in ("write", "read"):
            own = [e for e in events if e["task"] == f"{direction} {number}"]
            expected = json.loads((tmp_path / str(number) / f"{direction}.json").read_text())
            check_accesses(own, summary, expected)
            assert {Path(e["file"]).parent.name for e in own if e["event"] == "io"} == {str(number)}


def test_levels_record_what_they_say(tmp_path: Path) -> None:
    sizes = {}
    for level in ("objects", "accesses", "io"):
        for count in (10, 1000):
            folder = tmp_path / f"{level}{count}"
            folder.mkdir()
            command = [REPOSITORY / "build/bin/scattered_reads", "data.h5", count]
            record(folder, *command, options=("--level", level))
            kinds = [event["event"] for event in recorded(folder / "t")]
            assert kinds.count("opened") == 2  # made and read
            # One of them writes the dataset.
            assert kinds.count("read") == (0 if level == "objects" else count)
            assert kinds.count("write") == (0 if level == "objects" else 1)
            assert (kinds.count("io") > count) == (level == "io")
            sizes[level, count] = len(kinds)
    assert sizes["objects", 10] == sizes["objects", 1000]
    assert sizes["accesses", 1000] - sizes["accesses", 10] == 990
    assert sizes["io", 1000] - sizes["io", 10] == 2 * 990


def record_code(folder: Path, code: str) -> tuple[list[dict], dict]:
    assert record(folder, sys.executable, "-c", code).stderr == ""
    return recorded(folder / "t"), json.loads(quarry("summary", "--json", folder / "t").stdout)


def test_what_a_flush_writes_is_credited_to_its_datasets(tmp_path: Path) -> None:
    events, summary = record_code(
        tmp_path,
        """
import h5py, numpy as np
with h5py.File("data.h5", "w") as f:
    a = f.create_dataset("a", (1000,), "f8", chunks=(100,), maxshape=(None,))
    b = f.create_dataset("b", (1000,), "f8", chunks=(50,), compression="gzip")
    s = f.create_dataset("s", (100,), h5py.string_dtype())
    for i in range(5):
        a[i * 100 : i * 100 + 70] = i
        b[i * 60 : i * 60 + 33] = np.random.rand(33)
        s[i * 10] = "x" * 500
        f.flush()
    f.attrs["note"] = "in the heap, too"
""",
    )
    flushed = [e for e in events if e["event"] == "io" and e["direction"] == "write"]
    owners = {e["object"] for e in flushed if e["kind"] == "raw"}
    assert owners == {"/a", "/b", "/s", "/"}
    assert summary["uncredited_bytes"] == 0


@pytest.mark.parametrize("source", ["whole", "part", "blocks"])
def test_sources_of_virtual_datasets(tmp_path: Path, source: str) -> None:
    prepare = {
        # Sources of another rank, and a selection of each.
        "whole": """
layout = h5py.VirtualLayout((4, 10), "i4")
for i in range(4): layout[i] = h5py.VirtualSource(f"s{i}.h5", "d", shape=(10,))
""",
        "part": """
layout = h5py.VirtualLayout((4, 5), "i4")
for i in range(4): layout[i] = h5py.VirtualSource(f"s{i}.h5", "d", shape=(10,))[::2]
""",
        "blocks": """
space = h5py.h5s.create_simple((4, 10), (h5py.h5s.UNLIMITED, 10))
space.select_hyperslab((0, 0), (h5py.h5s.UNLIMITED, 1), (1, 1), (1, 10))
source = h5py.h5s.create_simple((10,))
plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
plist.set_virtual(space, b"s%b.h5", b"d", source)
layout = None
""",
    }[source]
    events, summary = record_code(
        tmp_path,
        f"""
import h5py, numpy as np
for i in range(4):
    with h5py.File(f"s{{i}}.h5", "w") as f: f["d"] = np.arange(10, dtype="i4") + 100 * i
{prepare}
with h5py.File("v.h5", "w", libver="latest") as f:
    if layout is not None: f.create_virtual_dataset("v", layout)
    else:
        whole = h5py.h5s.create_simple((4, 10), (h5py.h5s.UNLIMITED, 10))
        h5py.h5d.create(f.id, b"v", h5py.h5t.STD_I32LE, whole, plist)
with h5py.File("v.h5") as f:
    seen = f["v"][1:3, 1:4]
expected = np.array([[101, 102, 103], [201, 202, 203]])
if "{source}" == "part": expected = np.array([[102, 104, 106], [202, 204, 206]])
assert (seen == expected).all(), seen
""",
    )
    derived = [e for e in events if e["event"] == "derived"]
    assert [(Path(e["file"]).name, e["object"]) for e in derived] == [
        ("s1.h5", "/d"),
        ("s2.h5", "/d"),
    ]
    for event in derived:
        assert (event["elements"], event["bytes"]) == (3, 12)
        assert event["what"] == "source of a virtual dataset"
        assert not event["writes"] and not event["at_most"]
        start, stride = (2, 2) if source == "part" else (1, 1)
        assert event["selection"]["start"] == [start]
        assert event["selection"]["stride"] == [stride]
        assert event["selection"]["count"] == [3]
    # The bytes are credited to the sources, not to the dataset that leads to them.
    read = [e for e in events if e["event"] == "io" and e["operation"] == derived[0]["operation"]]
    owners = {(Path(e["file"]).name, e["object"]) for e in read if e["kind"] == "raw"}
    assert owners == {("s1.h5", "/d"), ("s2.h5", "/d")}
    rows = {(Path(r["file"]).name, r.get("object")): r for r in summary["usage"]}
    assert rows["s1.h5", "/d"]["bytes_derived_read"] == 12


def test_external_data_follows_from_the_selections(tmp_path: Path) -> None:
    events, summary = record_code(
        tmp_path,
        """
import h5py, numpy as np
with h5py.File("e.h5", "w") as f:
    f.create_dataset("e", (10, 10), "i4", external=[("a.raw", 16, 200), ("b.raw", 0, 200)])
    f["e"][...] = np.arange(100).reshape(10, 10)
with h5py.File("e.h5") as f:
    assert (f["e"][4:6, 2:4] == [[42, 43], [52, 53]]).all()
""",
    )
    derived = [
        (Path(e["file"]).name, e["object"], e["writes"], e["bytes"])
        for e in events
        if e["event"] == "derived"
    ]
    assert derived == [
        ("a.raw", "/e", True, 200),
        ("b.raw", "/e", True, 200),
        ("a.raw", "/e", False, 8),
        ("b.raw", "/e", False, 8),
    ]
    # The preloaded library has seen the same bytes.
    others = {
        Path(r["file"]).name: (r["bytes_read_without_hdf5"], r["bytes_written_without_hdf5"])
        for r in summary["usage"]
        if r["bytes_written_without_hdf5"]
    }
    assert others == {"a.raw": (8, 200), "b.raw": (8, 200)}


def test_space_that_was_used_again_is_credited_to_somebody(tmp_path: Path) -> None:
    """Found at random: chunks of one dataset where those of another lay, moved by one call for both."""
    trace = run_recorded(tmp_path, "C", "write", 987268472)
    summary = json.loads(quarry("summary", "--json", trace).stdout)
    assert summary["uncredited_bytes"] == 0


MANY_LAYOUTS = """
import h5py, numpy as np, sys
with h5py.File(sys.argv[1], "w", libver=sys.argv[2]) as f:
    for name, more in {
        "contiguous": {},
        "grown": {"chunks": (10, 5), "maxshape": (None, 5)},
        "grown both ways": {"chunks": (10, 5), "maxshape": (None, None)},
        "fixed": {"chunks": (10, 5)},
        "filtered": {"chunks": (10, 5), "compression": 1},
        "one chunk": {"chunks": (30_000, 5)},
    }.items():
        d = f.create_dataset(name, data=np.ones((30_000, 5)), **more)
        d.attrs["units"] = "m"
    f.create_dataset("empty", (30_000, 5))
    f.create_dataset("text", data=["a", "b"] * 100, dtype=h5py.string_dtype())
"""
OPENS_ALL = """
import h5py, sys
with h5py.File(sys.argv[1]) as f:
    for d in f.values(): d.shape, d.dtype, dict(d.attrs), len(d.parent)
"""
READS_SOME = OPENS_ALL + "    for d in f.values(): d[3:5]"


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("library", ["earliest", "latest"])
@pytest.mark.parametrize("program", [OPENS_ALL, READS_SOME], ids=["opened", "read"])
def test_recording_reads_nothing_that_the_program_does_not(
    tmp_path: Path, library: str, program: str
) -> None:
    file = tmp_path / "in.h5"
    python = [sys.executable, "-c"]
    subprocess.run([*python, MANY_LAYOUTS, file, library], check=True)
    calls = {}
    for way, under in (("alone", []), ("recorded", [QUARRY, "run", "--trace", "t", "--"])):
        tool = ["strace", "-f", "-y", "-s0", "-etrace=pread64,pwrite64", "-o", f"{way}.strace"]
        done = subprocess.run(
            [*tool, *under, *python, program, file],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        calls[way] = seen_by_strace(tmp_path / f"{way}.strace", str(file))
    assert calls["alone"] and calls["recorded"] == calls["alone"]


@pytest.mark.parametrize(
    "program",
    [
        "import h5py\nf = h5py.File('a.h5', 'w')\nfor i in range({}): f.attrs['a'] = i",
        "import h5py\nx = h5py.File('a.h5', 'w').create_dataset('x', 9)\nfor i in range({}): x[3]",
        "f = open('a.raw', 'wb', buffering=0)\nfor i in range({}): f.write(b'a')",
    ],
    ids=["attributes", "reads", "without HDF5"],
)
def test_recording_says_how_long_it_took(tmp_path: Path, program: str) -> None:
    taken = {1: [], 20_000: []}
    # Whoever waits for a processor is held up, too: the least of three is that of recording.
    for run, times in itertools.product(range(3), taken):
        trace = tmp_path / f"{times}.{run}.trace"
        later = f"import time\ntime.sleep(0.05)\n{program.format(times)}"
        record(tmp_path, sys.executable, "-c", later, trace=trace)
        (process,) = json.loads(quarry("summary", "--json", trace).stdout)["processes"]
        taken[times].append(process["held_up_nanoseconds"])
        assert process["begin"] - 60e9 < process["started"] < process["begin"] - 5e7
        assert 0 < taken[times][-1] < process["end"] - process["started"]
    assert min(taken[20_000]) > min(taken[1]) + 20_000 * 10, "10 ns each would be very little"
