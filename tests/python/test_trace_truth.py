"""Programs that know what they do are recorded, and the record is compared with what they say.

For the default driver it is also compared, call by call, with what strace saw of the same process.
"""

import json
import os
import random
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from cli import quarry

PROGRAM = Path(__file__).parent / "programs/accesses.py"
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
    chosen = np.zeros(shape, bool)
    if selection == "all":
        chosen[...] = True
    elif "start" in selection:
        axes = []
        for start, stride, count, block in zip(
            *(selection[key] for key in ("start", "stride", "count", "block"))
        ):
            axes.append([start + i * stride + j for i in range(count) for j in range(block)])
        if event["chunk"]:
            return ["chunk", *selection["start"], event["elements"]]
        chosen[np.ix_(*axes)] = True
    elif "points" in selection:
        points = np.array(selection["points"]).reshape(-1, selection["rank"])
        chosen[tuple(points.T)] = True
    else:
        corners = np.array(selection["blocks"]).reshape(-1, 2, selection["rank"])
        for first, last in corners:
            chosen[tuple(slice(a, b + 1) for a, b in zip(first, last))] = True
    found = np.flatnonzero(chosen).tolist()
    assert len(found) == event["elements"]
    return found


def seen_by_strace(log: Path, path: Path) -> list[tuple[str, int, int]]:
    """What was asked of the system for this file. A call that did only a part is asked on."""
    calls = []
    owed = None
    for line in log.read_text().splitlines():
        call = CALL.match(line)
        if call is None or call["path"] != str(path):
            continue
        at, size, done = (int(call[key]) for key in ("at", "size", "done"))
        direction = "read" if call["name"] == "pread64" else "write"
        if (direction, at, size) != owed:
            calls.append((direction, at, size))
        # A read that gives nothing has met the end of the file.
        owed = (direction, at + done, size - done) if 0 < done < size else None
    return calls


def run_recorded(folder: Path, direction: str, seed: int) -> list[dict]:
    trace = folder / f"trace-{direction}"
    command = [sys.executable, PROGRAM, direction, seed, f"{direction}.json"]
    tool = ["strace", "-f", "-y", "-s0", "-etrace=pread64,pwrite64", "-o", f"{direction}.strace"]
    tool = tool if shutil.which("strace") else []
    done = quarry("run", "--trace", trace, "--", *tool, *command, cwd=folder)
    assert done.returncode == 0, done.stderr
    return recorded(trace)


@pytest.mark.parametrize("case", range(25))
def test_every_access_and_call_is_recorded_as_it_was(tmp_path: Path, case: int) -> None:
    seed = random.Random(f"{os.environ['QUARRY_SEED']} {case}").randrange(10**9)
    print("seed", seed)
    for direction in ("write", "read"):
        events = run_recorded(tmp_path, direction, seed)
        facts = json.loads(quarry("ls", "--json", tmp_path / f"trace-{direction}").stdout)
        shapes = {o["path"]: o["dataset"]["shape"] for o in facts["objects"] if "dataset" in o}
        found = [
            [event["object"], event["event"], elements(event, shapes[event["object"]])]
            for event in events
            if event["event"] in {"read", "write"}
        ]
        assert found == json.loads((tmp_path / f"{direction}.json").read_text())

        moved = [e for e in events if e["event"] == "io"]
        if (log := tmp_path / f"{direction}.strace").exists():
            calls = [(e["direction"], e["address"], e["size"]) for e in moved]
            assert calls == seen_by_strace(log, tmp_path / "data.h5")
        raw = [e for e in moved if e["kind"] == "raw"]
        nobodys = sum(e["size"] for e in raw if e["object"] is None)
        assert nobodys <= sum(e["size"] for e in raw) / 100


@pytest.mark.parametrize("case", range(5))
def test_raw_data_is_credited_to_the_dataset_that_owns_the_address(
    tmp_path: Path, case: int
) -> None:
    import h5py

    seed = random.Random(f"{os.environ['QUARRY_SEED']} owner {case}").randrange(10**9)
    print("seed", seed)
    run_recorded(tmp_path, "write", seed)
    events = run_recorded(tmp_path, "read", seed)
    owned = []
    with h5py.File(tmp_path / "data.h5") as file:

        def look(path: str, thing: object) -> None:
            if not isinstance(thing, h5py.Dataset):
                return
            if thing.chunks is None and thing.id.get_offset() is not None:
                owned.append((thing.id.get_offset(), thing.id.get_storage_size(), f"/{path}"))
            for number in range(thing.id.get_num_chunks() if thing.chunks else 0):
                chunk = thing.id.get_chunk_info(number)
                owned.append((chunk.byte_offset, chunk.size, f"/{path}"))

        file.visititems(look)
        # HDF5 calls the global heap raw data, too; it belongs to whoever is being read.
        heap_users = {
            f"/{path}"
            for path in (f"group{n % 3}/dataset{n}" for n in range(8))
            if path in file and file[path].dtype == object
        }
    raw = [e for e in events if e["event"] == "io" and e["kind"] == "raw"]
    assert raw
    for event in raw:
        owner = {path for at, size, path in owned if at <= event["address"] < at + size}
        assert owner == {event["object"]} or (not owner and event["object"] in heap_users), event
