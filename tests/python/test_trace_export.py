"""Every format holds the same events, and can be read by what it is meant for."""

import csv
import io
import json
import re
import sqlite3
import sys
from collections import Counter
from pathlib import Path

import pytest
from browser import perfetto

from cli import REPOSITORY, quarry, record

CODE = """
import h5py, numpy as np
with h5py.File("data, with comma.h5", "w") as f:
    f["a"] = np.arange(100.0)
    f.create_dataset('g/"quoted"', data=np.arange(12).reshape(3, 4), chunks=(1, 4))
    f["a"].attrs["units"] = "m"
with h5py.File("data, with comma.h5") as f:
    f["a"][::3]
    f['g/"quoted"'][[0, 2], 1]
    dict(f["a"].attrs)
open("notes.txt", "w").write("done")
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    record(folder, sys.executable, "-c", CODE)
    return folder / "t"


@pytest.fixture(scope="module")
def events(trace: Path) -> list[dict]:
    return [json.loads(line) for line in quarry("export", trace).stdout.splitlines()]


def test_csv(trace: Path, events: list[dict]) -> None:
    rows = list(csv.DictReader(io.StringIO(quarry("export", trace, "--format", "csv").stdout)))
    assert [row["event"] for row in rows] == [event["event"] for event in events]
    for row, event in zip(rows, events):
        assert None not in row and None not in row.values()
        for key in ("file", "object", "task"):
            if key in event:
                assert row[key] == (event[key] or "")
        assert int(row["time"]) == event["time"]
    reads = [row for row in rows if row["event"] == "read"]
    assert [row["selection"] for row in reads] == ["[0:100:3]", "[0:3:2, 1]"]
    assert [row["object"] for row in reads] == ["/a", '/g/"quoted"']


def test_chrome(trace: Path, events: list[dict]) -> None:
    """The trace event format, as Perfetto and chrome://tracing take it."""
    shown = json.loads(quarry("export", trace, "--format", "chrome").stdout)["traceEvents"]
    names = [event for event in shown if event["ph"] == "M"]
    assert [event["name"] for event in names] == ["process_name"]
    rest = [event for event in shown if event["ph"] != "M"]
    assert [event["cat"] for event in rest] == [event["event"] for event in events]
    for event in rest:
        assert event["ts"] >= 0 and isinstance(event["pid"], int) and isinstance(event["tid"], int)
        assert (event["ph"] == "X" and event["dur"] >= 0) or event["ph"] == "i"
    # I/O lies inside the call that caused it.
    calls = {e["args"]["operation"]: e for e in rest if e["cat"] == "read"}
    inside = [e for e in rest if e["cat"] == "io" and e["args"].get("operation") in calls]
    assert inside
    for event in inside:
        call = calls[event["args"]["operation"]]
        assert call["ts"] <= event["ts"]
        assert event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 0.001


def test_perfetto_takes_it_without_a_complaint(
    trace: Path, events: list[dict], tmp_path: Path
) -> None:
    file = tmp_path / "trace.json"
    file.write_text(quarry("export", trace, "--format", "chrome").stdout)
    ask = """async question => {
        const answer = await app.trace.engine.query(question);
        return Number(answer.firstRow({n: 1}).n);
    }"""
    with perfetto(file) as page:
        assert page.evaluate(ask, "select count(*) as n from slice") == len(events)
        complaints = "select count(*) as n from stats where severity != 'info' and value != 0"
        assert page.evaluate(ask, complaints) == 0
        reads = [event for event in events if event["event"] == "read"]
        assert page.evaluate(
            ask, "select sum(dur) as n from slice where category = 'read'"
        ) == pytest.approx(sum(event["duration"] for event in reads), abs=len(reads) * 1000)


def test_sqlite(trace: Path, events: list[dict], tmp_path: Path) -> None:
    file = tmp_path / "trace.db"
    done = quarry("export", trace, "--format", "sqlite", "--output", file)
    assert done.returncode == 0, done.stderr
    database = sqlite3.connect(file)
    count = Counter(event["event"] for event in events)
    tables = {
        "io": count["io"],
        "access": count["read"] + count["write"],
        "touch": count["touch"],
        "object_open": count["opened"],
        "file_open": count["file opened"],
        "other_file": count["other file"],
    }
    for table, expected in tables.items():
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (expected,), table
        assert expected > 0
    moved = sum(event["size"] for event in events if event["event"] == "io")
    assert database.execute("SELECT sum(bytes) FROM io").fetchone() == (moved,)

    # Nothing that exists is overwritten.
    again = quarry("export", trace, "--format", "sqlite", "--output", file)
    assert again.returncode == 125
    assert "there already" in again.stderr
    assert quarry("export", trace, "--format", "sqlite").returncode == 125


def test_the_documented_questions_have_answers(trace: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.db"
    assert quarry("export", trace, "--format", "sqlite", "--output", file).returncode == 0
    page = (REPOSITORY / "docs/formats/export.md").read_text()
    questions = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    assert len(questions) >= 6
    database = sqlite3.connect(file)
    answers = [database.execute(question).fetchall() for question in questions]
    costs = answers[0]
    assert {row[1] for row in costs} == {"/a", '/g/"quoted"'}
    assert (
        sum(row[2] for row in answers[2])
        == database.execute("SELECT count(*) FROM io").fetchone()[0]
    )
