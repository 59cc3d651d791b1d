"""The graph of tasks and data, against workflows whose truth is known by construction."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import jsonschema
import networkx
import numpy as np
import pydot
import pytest
from prov.model import ProvActivity, ProvDocument, ProvEntity, ProvGeneration

from cli import REPOSITORY, quarry, record, record_tasks

TASK = Path(__file__).parent / "programs/workflow_task.py"
SCHEMA = json.loads((REPOSITORY / "docs/formats/graph.schema.json").read_text())


def graph_of(folder: Path, *words: str) -> dict:
    done = quarry("export", "--format", "json", *words, "t", cwd=folder)
    assert done.returncode == 0, done.stderr
    graph = json.loads(done.stdout)
    jsonschema.validate(graph, SCHEMA)
    return graph


class Workflow:
    """Tasks that are made up at random, and whose elements each has written and read."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.shapes: dict[str, list[int]] = {}
        # Of each dataset, at its largest: which task was the last to write an element.
        self.writer: dict[str, np.ndarray] = {}
        self.flows: dict[tuple[str, str, str], np.ndarray] = {}
        self.written: dict[str, np.ndarray] = {}
        self.read: dict[str, np.ndarray] = {}
        self.files: dict[str, tuple[str, int]] = {}
        self.file_flows: dict[tuple[str, str, str], int] = defaultdict(int)
        self.names: list[str] = []

    def selection(self, shape: list[int]) -> list[list[int]]:
        parts = []
        for size in shape:
            start = self.draw.randrange(size)
            parts.append([start, self.draw.randint(start + 1, size), self.draw.choice([1, 1, 2])])
        return self.draw.choice([parts, [[0, size, 1] for size in shape]])

    def task(self) -> tuple[str, list[dict]]:
        name = f"task {len(self.names)}"
        number = len(self.names)
        self.names.append(name)
        steps = []
        for _ in range(self.draw.randint(1, 12)):
            steps.append(self.step(name, number))
        for _ in range(self.draw.randint(0, 2)):
            steps.append(self.file_step(name))
        return name, steps

    def step(self, name: str, number: int) -> dict:
        kind = self.draw.choice(["create", "write", "write", "read", "read", "read", "resize"])
        if kind == "create" or not self.shapes:
            dataset = f"/dataset{len(self.shapes)}"
            shape = [self.draw.randint(1, 20) for _ in range(self.draw.randint(1, 3))]
            self.shapes[dataset] = shape
            largest = tuple(2 * size for size in shape)
            self.writer[dataset] = np.full(largest, -1)
            self.written[dataset] = np.zeros(largest, bool)
            self.read[dataset] = np.zeros(largest, bool)
            return {"do": "create", "dataset": dataset, "shape": shape}
        dataset = self.draw.choice(sorted(self.shapes))
        shape = self.shapes[dataset]
        if kind == "resize":
            limits = self.writer[dataset].shape
            self.shapes[dataset] = [
                self.draw.randint(size, most) for size, most in zip(shape, limits)
            ]
            return {"do": "resize", "dataset": dataset, "shape": self.shapes[dataset]}
        selection = self.selection(shape)
        where = tuple(slice(*part) for part in selection)
        if kind == "write":
            self.writer[dataset][where] = number
            self.written[dataset][where] = True
        else:
            self.read[dataset][where] = True
            chosen = np.zeros(self.writer[dataset].shape, bool)
            chosen[where] = True
            for producer in set(self.writer[dataset][where].flat) - {-1}:
                key = (self.names[producer], name, dataset)
                seen = self.flows.setdefault(key, np.zeros(chosen.shape, bool))
                seen |= chosen & (self.writer[dataset] == producer)
        return {"do": kind, "dataset": dataset, "selection": selection}

    def file_step(self, name: str) -> dict:
        if self.files and self.draw.random() < 0.5:
            file = self.draw.choice(sorted(self.files))
            producer, size = self.files[file]
            self.file_flows[producer, name, file] += size
            return {"do": "read file", "name": file}
        file = f"notes{self.draw.randrange(3)}.txt"
        size = self.draw.randint(1, 5000)
        self.files[file] = (name, size)
        return {"do": "write file", "name": file, "size": size}


@pytest.mark.parametrize("case", range(6))
def test_flows_are_exact_to_the_byte(tmp_path: Path, case: int) -> None:
    seed = random.Random(f"{os.environ['QUARRY_SEED']} flow {case}").randrange(10**9)
    print("seed", seed)
    workflow = Workflow(seed)
    for number in range(5):
        name, steps = workflow.task()
        (tmp_path / f"steps{number}").write_text(json.dumps(steps))
        record(tmp_path, sys.executable, TASK, f"steps{number}", task=name)

    graph = graph_of(tmp_path)
    labels = {node["id"]: node["label"] for node in graph["nodes"]}

    found = {
        (labels[f["producer"]], labels[f["consumer"]], labels[f["through"]]): f["bytes"]
        for f in graph["flows"]
        if f["kind"] == "data"
    }
    assert found == {key: 4 * int(seen.sum()) for key, seen in workflow.flows.items()}
    files = {
        (labels[f["producer"]], labels[f["consumer"]], Path(labels[f["through"]]).name): f["bytes"]
        for f in graph["flows"]
        if f["kind"] == "file" and labels[f["through"]].endswith(".txt")
    }
    assert files == workflow.file_flows
    totals = {n["label"]: n for n in graph["nodes"] if n["kind"] == "dataset"}
    for dataset, written in workflow.written.items():
        if dataset in totals:
            assert totals[dataset]["bytes_written"] == 4 * written.sum()
            assert totals[dataset]["bytes_read"] == 4 * workflow.read[dataset].sum()


def test_a_file_that_was_copied_still_has_its_producer(tmp_path: Path) -> None:
    write = 'import h5py; f = h5py.File("a.h5", "w"); f["x"] = list(range(100))'
    copy = 'open("b.h5", "wb").write(open("a.h5", "rb").read())'
    read = 'import h5py; h5py.File("b.h5", "r")["x"][:50]'
    record_tasks(tmp_path, ("make", write), ("copy", copy), ("use", read))
    graph = graph_of(tmp_path)
    labels = {node["id"]: node["label"] for node in graph["nodes"]}
    flows = {(labels[f["producer"]], labels[f["consumer"]]): f for f in graph["flows"]}
    assert flows["make", "copy"]["kind"] == "file"
    assert flows["make", "copy"]["bytes"] == (tmp_path / "a.h5").stat().st_size
    assert (flows["copy", "use"]["kind"], flows["copy", "use"]["bytes"]) == ("file", 400)
    stages = {n["label"]: n["stage"] for n in graph["nodes"] if n["kind"] == "task"}
    assert stages == {"make": 0, "copy": 1, "use": 2}


def record_members(tmp_path: Path, count: int) -> None:
    """Members that each write a file, and one that reads them all."""
    make = 'import h5py, sys; h5py.File(sys.argv[1], "w")["x"] = list(range(1000))'
    read = 'import h5py, sys; [h5py.File(name, "r")["x"][:10] for name in sys.argv[1:]]'
    names = [f"run/member_{number}.h5" for number in range(count)]
    (tmp_path / "run").mkdir()
    steps = [(f"make_{n}", make, [name]) for n, name in enumerate(names)] + [("sum", read, names)]
    for task, code, words in steps:
        record(tmp_path, sys.executable, "-c", code, *words, task=task)


def test_parts_of_a_graph_become_one(tmp_path: Path) -> None:
    record_members(tmp_path, 3)

    def labels(graph: dict, kind: str) -> dict[str, int]:
        nodes = (node for node in graph["nodes"] if node["kind"] == kind)
        return {Path(node["label"]).name: node.get("members", 1) for node in nodes}

    whole = graph_of(tmp_path)
    by_file = graph_of(tmp_path, "--group-by", "file")
    assert labels(by_file, "file") == {f"member_{n}.h5": whole_of(whole, n) for n in range(3)}
    assert {node["kind"] for node in by_file["nodes"]} == {"task", "file"}
    families = graph_of(tmp_path, "--group-by", "family,pattern")
    assert labels(families, "task") == {"make_#": 3, "sum": 1}
    assert list(labels(families, "file")) == ["member_#.h5"]
    assert len(families["edges"]) == 2
    assert list(labels(graph_of(tmp_path, "--group-by", "directory"), "file")) == ["run"]
    assert labels(graph_of(tmp_path, "--group-by", "stage"), "task") == {"stage 0": 3, "stage 1": 1}
    assert len(labels(graph_of(tmp_path, "--group-by", "host"), "task")) == 1
    assert labels(graph_of(tmp_path, "--group-by", "window:3600"), "task") == {"0 to 3600 s": 4}
    # Nothing is lost on the way.
    for field in ("calls", "bytes_selected", "bytes_moved", "ios", "opens"):
        totals = {sum(edge[field] for edge in one["edges"]) for one in (whole, by_file, families)}
        assert len(totals) == 1, field
    assert sum(flow["bytes"] for flow in families["flows"]) == 3 * 80


def whole_of(graph: dict, number: int) -> int:
    """How many nodes of the graph lie in that member's file."""
    return sum(node.get("file", "").endswith(f"_{number}.h5") for node in graph["nodes"])


def test_what_cannot_be_grouped_by_is_said(tmp_path: Path) -> None:
    record_members(tmp_path, 1)
    for wrong, hint in (("famly", "did you mean family"), ("window", "window:60"), ("file:3", "")):
        done = quarry("export", "--format", "json", "--group-by", wrong, "t", cwd=tmp_path)
        assert done.returncode == 125
        assert hint in done.stderr


def test_regions_hold_what_was_moved_in_them(tmp_path: Path) -> None:
    record_members(tmp_path, 1)
    graph = graph_of(tmp_path, "--regions", "1K")
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    regions = [kind for kind in kinds.values() if kind == "region"]
    events = quarry("export", "t", cwd=tmp_path).stdout.splitlines()
    ios = [event for event in map(json.loads, events) if event["event"] == "io"]
    pages = {
        page
        for io in ios
        for page in range(io["address"] // 1024, (io["address"] + io["size"] - 1) // 1024 + 1)
    }
    assert len(regions) == len(pages)
    moved = sum(
        edge["bytes_moved"]
        for edge in graph["edges"]
        if "region" in (kinds[edge["from"]], kinds[edge["to"]])
    )
    assert moved == sum(io["size"] for io in ios)


HOSTILE = [
    'quo"te',
    "</script><b>",
    "new\nline",
    "\u202eright to left",
    "x" * 10_000,
    "back\\slash",
]


def test_names_are_inert_in_every_graph(tmp_path: Path) -> None:
    code = f"""
import h5py
with h5py.File("data.h5", "w") as f:
    for name in {HOSTILE!r}: f[name.replace("/", "")] = 1
"""
    record_tasks(tmp_path, (HOSTILE[1], code))
    graph = graph_of(tmp_path)
    assert '/quo"te' in {node["label"] for node in graph["nodes"]}

    def exported(form: str) -> str:
        done = quarry("export", "--format", form, "t", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # Each is read by a library of those who use the format.
    seen = networkx.parse_graphml(exported("graphml"), force_multigraph=True)
    assert sorted(label for _, label in seen.nodes(data="label")) == sorted(
        node["label"] for node in graph["nodes"]
    )
    assert seen.number_of_edges() == len(graph["edges"])
    (dot,) = pydot.graph_from_dot_data(exported("dot"))
    assert len(dot.get_edges()) == len(graph["edges"])
    if shutil.which("dot"):
        text = exported("dot")
        subprocess.run(
            ["dot", "-Tsvg"], input=text, text=True, check=True, stdout=subprocess.DEVNULL
        )
    document = ProvDocument.deserialize(content=exported("prov"), format="json")
    assert len(list(document.get_records(ProvActivity))) == 1
    entities = {str(record.label) for record in document.get_records(ProvEntity)}
    assert entities == {node["label"] for node in graph["nodes"] if node["kind"] != "task"}
    assert len(list(document.get_records(ProvGeneration))) == sum(
        edge["writes"] for edge in graph["edges"]
    )


def validated(folder: Path, crate: dict) -> subprocess.CompletedProcess:
    folder.mkdir()
    (folder / "ro-crate-metadata.json").write_text(json.dumps(crate))
    program = TASK.parent / "validate_crate.py"
    return subprocess.run(
        [sys.executable, program, folder], capture_output=True, text=True, check=False
    )


def test_a_run_is_a_crate_that_its_community_accepts(tmp_path: Path) -> None:
    code = """
import h5py
name = '</script> "\u202e.h5'
h5py.File("in.h5", "w")["x"] = 1
h5py.File(name.replace("/", ""), "w")["y"] = h5py.File("in.h5", "r")["x"][()]
"""
    record_tasks(tmp_path, (HOSTILE[1], code))
    done = quarry("export", "--format", "ro-crate", "t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    crate = json.loads(done.stdout)
    judged = validated(tmp_path / "crate", crate)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    by_id = {entity["@id"]: entity for entity in crate["@graph"]}
    (action,) = (e for e in crate["@graph"] if e["@type"] == "CreateAction")
    assert action["name"] == HOSTILE[1]
    read = [by_id[one["@id"]]["name"] for one in action["object"]]
    assert "in.h5" in read
    written = {by_id[one["@id"]]["name"] for one in action["result"]}
    assert written == {"in.h5", '<script> "\u202e.h5'}
    # The validator does find what is wrong.
    del action["instrument"]
    assert validated(tmp_path / "wrong", crate).returncode == 1
