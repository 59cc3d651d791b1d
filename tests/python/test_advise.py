"""Every finding, with one trace that must show it and one that must not."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from running import clean_environment

from cli import QUARRY, REPOSITORY, quarry, record, record_tasks

START = """
import h5py, numpy as np, time
rng = np.random.default_rng(1)
"""


def trace_of(folder: Path, *tasks: tuple[str, str]) -> Path:
    return record_tasks(folder, *((name, START + code) for name, code in tasks))


def findings(trace: Path, *options: str) -> list[dict]:
    done = quarry("advise", "--json", *options, trace)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["findings"]


def make(shape: str, **options: object) -> str:
    more = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"""
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", data=rng.random({shape}){more})
"""


READ_ALL = 'h5py.File("data.h5", "r")["x"][...]'

REST = 'f = h5py.File("rest.h5", "w"); time.sleep(3); f.close()'

MEMBERS = """
for i in range(6): h5py.File(f"m{i}.h5", "w")["x"] = rng.random(40000)
"""

COPY = """
d = h5py.File("data.h5", "r")["x"]
h5py.File("other.h5", "w")["y"] = {values}
"""

EDIT = """
with h5py.File("data.h5", "a") as f:
    f["small"] = 1
    del f["x"]
    f["end"] = rng.random(100_000)
"""

GROUPS = """
with h5py.File("data.h5", "w"{options}) as f:
    for i in range(3000): f.create_group(f"group{{i}}").attrs["a"] = i
"""
VISIT = """
for _ in range(2):
    with h5py.File("data.h5", "r") as f:
        for i in range(3000): f[f"group{i}"].attrs["a"]
"""


def strings(each: str) -> str:
    return f"""
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", data=[{each} for i in range(500)], dtype=h5py.string_dtype())
"""


# For each finding: tasks that lead to it, and tasks that do not.
CASES: dict[str, tuple[list[tuple[str, str]], list[tuple[str, str]]]] = {
    "small-requests": (
        [
            ("make", make("(2000, 100)", chunks=(1, 100))),
            ("use", 'f = h5py.File("data.h5", "r"); [f["x"][i] for i in range(2000)]'),
        ],
        [("make", make("(2000, 100)")), ("use", READ_ALL)],
    ),
    "random-access": (
        [
            ("make", make("(3000, 100)", chunks=(1, 100))),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[i] for i in rng.permutation(3000)]'),
        ],
        [
            ("make", make("(3000, 100)", chunks=(1, 100))),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[i] for i in range(3000)]'),
        ],
    ),
    "misaligned-requests": (
        [
            ("make", make("(2000, 512)", chunks=(1, 512))),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[i] for i in range(2000)]'),
        ],
        [
            (
                "make",
                """
with h5py.File("data.h5", "w", alignment_threshold=1, alignment_interval=4096) as f:
    f.create_dataset("x", data=rng.random((2000, 512)), chunks=(1, 512))
""",
            ),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[i] for i in range(2000)]'),
        ],
    ),
    "redundant-reads": (
        [
            ("make", make("(512, 512)")),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[...] for i in range(5)]'),
        ],
        [("make", make("(512, 512)")), ("use", READ_ALL)],
    ),
    "read-amplification": (
        [
            ("make", make("(1000, 1000)", chunks=(1000, 10))),
            ("use", 'h5py.File("data.h5", "r")["x"][7, :]'),
        ],
        [
            ("make", make("(1000, 1000)", chunks=(10, 1000))),
            ("use", 'h5py.File("data.h5", "r")["x"][:10, :]'),
        ],
    ),
    "write-amplification": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    d = f.create_dataset("x", (100, 100000), chunks=(100, 1000), compression="gzip")
    d[0, :] = rng.random(100000)
    d[:, :] = rng.random((100, 100000))
    for row in range(0, 8): d[row, ::1000] = rng.random(100)
""",
            )
        ],
        [("make", make("(1000, 1000)"))],
    ),
    "strided-contiguous": (
        [
            ("make", make("(100000, 20)")),
            (
                "use",
                """
a = h5py.h5p.create(h5py.h5p.FILE_ACCESS); a.set_sieve_buf_size(0)
f = h5py.File(h5py.h5f.open(b"data.h5", h5py.h5f.ACC_RDONLY, a))
f["x"][:, 3]
""",
            ),
        ],
        [("make", make("(100000, 20)")), ("use", 'h5py.File("data.h5", "r")["x"][:1000]')],
    ),
    "reopen-loop": (
        [
            ("make", make("(100,)")),
            ("use", 'f = h5py.File("data.h5", "r"); [f["x"][3] for i in range(60)]'),
        ],
        [
            ("make", make("(100,)")),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[3] for i in range(60)]'),
        ],
    ),
    "metadata-heavy": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    for i in range(200): f[f"g{i}/x"] = i
""",
            ),
            ("use", 'f = h5py.File("data.h5", "r"); [f[f"g{i}/x"][()] for i in range(200)]'),
        ],
        [("make", make("(1000, 1000)")), ("use", READ_ALL)],
    ),
    "chunked-small": (
        [
            ("make", make("(100,)", chunks=(100,), maxshape=(None,))),
            ("use", READ_ALL),
        ],
        [("make", make("(100,)")), ("use", READ_ALL)],
    ),
    "vlen-contiguous": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", data=["some text"] * 50, dtype=h5py.string_dtype())
""",
            ),
            ("use", READ_ALL),
        ],
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", data=["some text"] * 50, dtype=h5py.string_dtype(), chunks=(50,))
    f.create_dataset("y", data=["some text"] * 50, dtype=h5py.string_dtype(length=9))
""",
            ),
            ("use", READ_ALL),
        ],
    ),
    "tiny-chunks": (
        [("make", make("(1500, 10)", chunks=(1, 10)))],
        [("make", make("(1500, 10)", chunks=(150, 10)))],
    ),
    "chunk-over-cache": (
        [
            ("make", make("(3000, 1000)", chunks=(1500, 1000), compression=1)),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[i] for i in range(4)]'),
        ],
        [
            ("make", make("(3000, 1000)", chunks=(10, 1000), compression=1)),
            ("use", 'd = h5py.File("data.h5", "r")["x"]; [d[i] for i in range(4)]'),
        ],
    ),
    "chunk-decoded-again": (
        [
            ("make", make("(200, 1000)", chunks=(20, 1000), compression=1)),
            (
                "use",
                """
for i in range(5):
    with h5py.File("data.h5", "r") as f: f["x"][...]
""",
            ),
        ],
        [("make", make("(200, 1000)", chunks=(20, 1000), compression=1)), ("use", READ_ALL)],
    ),
    "chunk-shape": (
        [
            ("make", make("(1000, 1000)", chunks=(1000, 10))),
            ("use", 'h5py.File("data.h5", "r")["x"][7, :]'),
        ],
        [
            ("make", make("(1000, 1000)", chunks=(10, 1000))),
            ("use", 'h5py.File("data.h5", "r")["x"][:10, :]'),
        ],
    ),
    "edge-chunk-rewritten": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    d = f.create_dataset("x", (0,), "f8", maxshape=(None,), chunks=(1000,), compression="gzip")
    for i in range(20):
        d.resize((i * 50 + 50,)); d[-50:] = rng.random(50); f.flush()
""",
            )
        ],
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    d = f.create_dataset("x", (0,), "f8", maxshape=(None,), chunks=(1000,), compression="gzip")
    for i in range(20):
        d.resize((i * 1000 + 1000,)); d[-1000:] = rng.random(1000); f.flush()
""",
            )
        ],
    ),
    "needless-unlimited": (
        [("make", make("(100, 100)", maxshape=(None, 100)))],
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    d = f.create_dataset("x", (10,), "f8", maxshape=(None,)); d[...] = 1
    d.resize((20,)); d[10:] = 2
    f["y"] = 3
""",
            )
        ],
    ),
    "dataset-scatter": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    for i in range(20): f[f"x{i}"] = np.arange(5)
""",
            )
        ],
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    for i in range(20): f[f"x{i}"] = np.arange(1000)
""",
            )
        ],
    ),
    "attribute-store": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w", libver="latest") as f:
    for i in range(1100): f.attrs[f"a{i}"] = i
""",
            )
        ],
        [
            (
                "make",
                """
with h5py.File("data.h5", "w", libver="latest") as f:
    for i in range(1100): f.attrs["a"] = i
""",
            )
        ],
    ),
    "unused-dataset": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    f["x"] = np.arange(1000); f["map"] = np.arange(100000)
""",
            ),
            ("use", READ_ALL + '; h5py.File("data.h5", "r")["map"].shape'),
        ],
        [("make", make("(100,)")), ("use", READ_ALL)],
    ),
    "partly-used": (
        [("make", make("(1000, 200)")), ("use", 'h5py.File("data.h5", "r")["x"][:100]')],
        [("make", make("(1000, 200)")), ("use", 'h5py.File("data.h5", "r")["x"][:900]')],
    ),
    "metadata-only-reader": (
        [("make", make("(1000,)")), ("look", 'h5py.File("data.h5", "r")["x"].shape')],
        [("make", make("(1000,)")), ("use", READ_ALL)],
    ),
    "read-after-write": (
        [
            (
                "make",
                """
with h5py.File("data.h5", "w") as f:
    f["x"] = rng.random((1000, 200)); f["x"][...]
""",
            )
        ],
        [("make", make("(1000, 200)")), ("use", READ_ALL)],
    ),
    "write-after-read": (
        [
            ("make", make("(1000, 200)")),
            ("change", 'd = h5py.File("data.h5", "a")["x"]; d[...] = d[...] + 1'),
        ],
        [
            ("make", make("(1000, 200)")),
            ("change", 'd = h5py.File("data.h5", "a")["x"]; d[:500] = d[500:]'),
        ],
    ),
    "reused-by-many": (
        [("make", make("(100,)")), *[(f"use {i}", READ_ALL) for i in range(3)]],
        [("make", make("(100,)")), *[(f"use {i}", READ_ALL) for i in range(2)]],
    ),
    "stage-out": (
        [("make", make("(100,)")), ("use", READ_ALL), ("rest", REST)],
        [("rest", REST), ("make", make("(100,)")), ("use", READ_ALL)],
    ),
    "late-input": (
        [("rest", REST), ("use", 'h5py.File("input.h5", "r")["x"][...]')],
        [("use", 'h5py.File("input.h5", "r")["x"][...]'), ("rest", REST)],
    ),
    "no-dependency": (
        [
            ("first", 'h5py.File("a.h5", "w")["x"] = 1'),
            ("second", 'h5py.File("b.h5", "w")["x"] = 1'),
        ],
        [("make", make("(100,)")), ("use", READ_ALL)],
    ),
    "fan-in": (
        [
            *[(f"part {i}", f'h5py.File("{i}.h5", "w")["x"] = 1') for i in range(4)],
            ("join", '[h5py.File(f"{i}.h5", "r")["x"][()] for i in range(4)]'),
        ],
        [("make", make("(100,)")), ("use", READ_ALL)],
    ),
    "all-to-all": (
        [
            *[(f"part {i}", f'h5py.File("{i}.h5", "w")["x"] = 1') for i in range(2)],
            *[
                (f"join {j}", '[h5py.File(f"{i}.h5", "r")["x"][()] for i in range(2)]')
                for j in range(2)
            ],
        ],
        [
            *[(f"part {i}", f'h5py.File("{i}.h5", "w")["x"] = 1') for i in range(2)],
            *[(f"next {i}", f'h5py.File("{i}.h5", "r")["x"][()]') for i in range(2)],
        ],
    ),
    "one-to-one": (
        [("make", make("(100,)")), ("use", READ_ALL)],
        [("make", make("(100,)")), ("use", READ_ALL), ("use again", READ_ALL)],
    ),
    "rolling-input": (
        [
            ("make", MEMBERS),
            ("use", '[h5py.File(f"m{i}.h5", "r")["x"][...] for i in range(6)]'),
        ],
        [
            ("make", MEMBERS),
            (
                "use",
                """
a = [h5py.File(f"m{i}.h5", "r")["x"] for i in range(6)]
for d in a + a: d[:20000]
""",
            ),
        ],
    ),
    "copied-unchanged": (
        [("make", make("(512, 512)")), ("copy", COPY.format(values="d[...]"))],
        [("make", make("(512, 512)")), ("copy", COPY.format(values="d[...] + 1"))],
    ),
    "vlen-constant": (
        [("make", strings("'station %03d' % i"))],
        [("make", strings("'s' * (i + 1)"))],
    ),
    "free-space": (
        [("make", make("(512, 512)")), ("edit", EDIT)],
        [("make", make("(512, 512)")), ("edit", 'h5py.File("data.h5", "a")["y"] = 1')],
    ),
    "not-cloud-ready": (
        [("make", GROUPS.format(options="")), ("use", VISIT)],
        [
            (
                "make",
                GROUPS.format(options=', libver="latest", fs_strategy="page", fs_page_size=4096'),
            ),
            ("use", VISIT),
        ],
    ),
}


def prepare(folder: Path) -> None:
    code = 'import h5py; h5py.File("input.h5", "w")["x"] = range(100)'
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


@pytest.mark.parametrize("rule", CASES)
def test_it_is_found_where_it_is_and_only_there(tmp_path: Path, rule: str) -> None:
    for answer, tasks in zip((True, False), CASES[rule]):
        folder = tmp_path / str(answer)
        folder.mkdir()
        prepare(folder)
        trace = trace_of(folder, *tasks)
        found = findings(trace)
        named = [finding for finding in found if finding["id"] == rule]
        assert bool(named) == answer, [finding["id"] for finding in found]
        for finding in named:
            assert finding["sentence"].endswith(".") and finding["fix"]
            saving = finding["saving"]
            assert saving["operations"] + saving["bytes"] + saving["seconds"] > 0


SPACE = """
import h5py, numpy as np
with h5py.File("data.h5", "w", fs_strategy="fsm", fs_persist=True) as f:
    f["x"], f["y"], f["w"] = np.zeros(1 << 18), 1, np.zeros(1 << 18)
with h5py.File("data.h5", "a") as f:
    del f["x"]
    if {is_used}: f["z"] = np.zeros(1 << 18)
"""
LOOK = """
with h5py.File("data.h5") as f: f["y"][()]
"""
# What is done with a file, whether some of it was free before, and whether some is at last.
FREE = {
    "read": (LOOK * 3, True, True),
    "filled": (LOOK * 2 + """
with h5py.File("data.h5", "a") as f: f["v"] = np.zeros(1 << 18)
""", True, False),
    "read after it was filled": (LOOK * 2 + """
with h5py.File("data.h5", "a") as f: f["v"] = np.zeros(1 << 18)
""" + LOOK * 2, True, False),
    "changed in memory only": ("""
with h5py.File("data.h5", "r+", driver="core", backing_store=False) as f:
    f["y"][()]
    del f["z"]
""" + LOOK, False, False),
    "emptied by the second of two": ("""
first, second = h5py.File("data.h5", "r+"), h5py.File("data.h5", "r+")
first["y"][()]
first.close()
del second["z"]
second.close()
""", False, True),
}  # fmt: skip


@pytest.mark.parametrize("option", [[], ["--no-bytes"]], ids=["driver", "no driver"])
@pytest.mark.parametrize("use", FREE)
def test_space_that_is_free_at_last(tmp_path: Path, use: str, option: list[str]) -> None:
    code, before, at_last = FREE[use]
    space = SPACE.format(is_used=not before)
    subprocess.run([sys.executable, "-c", space], cwd=tmp_path, check=True)
    record(tmp_path, sys.executable, "-c", "import h5py, numpy as np" + code, options=option)
    found = [f["id"] for f in findings(tmp_path / "t")]
    assert ("free-space" in found) == at_last


def test_every_rule_is_documented_and_tried() -> None:
    listed = {
        line.split("`")[1]
        for line in (Path(__file__).parents[2] / "docs/findings.md").read_text().splitlines()
        if line.startswith("| `")
    }
    thresholds = json.loads(quarry("advise", "--show-thresholds").stdout)
    elsewhere = {"shared-across-hosts", "huge-group"}  # below
    assert set(CASES) | elsewhere | set(thresholds) == listed


def test_files_that_several_machines_read(tmp_path: Path) -> None:
    prepare(tmp_path)
    read = 'import h5py; h5py.File("input.h5", "r")["x"][...]'
    for host in ("first", "second"):
        entered = ["unshare", "--uts", "sh", "-c", f'hostname {host} && exec "$@"', "sh"]
        command = [QUARRY, "run", "--trace", "t", "--task", host, "--", sys.executable, "-c", read]
        done = subprocess.run(
            [*entered, *command],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if "Operation not permitted" in done.stderr:
            pytest.skip("no right to give a machine another name")
        ids = {finding["id"] for finding in findings(tmp_path / "t")}
        assert ("shared-across-hosts" in ids) == (host == "second")


def test_a_group_with_many_members(tmp_path: Path) -> None:
    code = """
with h5py.File("data.h5", "w") as f:
    for i in range(30): f[f"g/x{i}"] = i
"""
    trace = trace_of(tmp_path, ("make", code))
    (tmp_path / "limits.json").write_text('{"links": 20}')
    assert "huge-group" not in {finding["id"] for finding in findings(trace)}
    changed = findings(trace, "--thresholds", str(tmp_path / "limits.json"))
    assert "huge-group" in {finding["id"] for finding in changed}


def test_budgets(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, *CASES["unused-dataset"][0])
    report = tmp_path / "junit.xml"
    fails = ["--fail-on", "unused-dataset", "--junit", report]
    done = quarry("advise", trace, *fails)
    assert done.returncode == 1
    assert "over budget" in done.stderr
    suite = xml.parse(report).getroot()
    assert suite.get("failures") == "1"
    assert "no task reads any of it" in suite.find(".//failure").get("message")
    done = quarry("advise", trace, "--fail-on", "tiny-chunks", "--junit", report)
    assert done.returncode == 0
    assert xml.parse(report).getroot().get("failures") == "0"
    assert quarry("advise", trace, "--max-amplification", "0.001").returncode == 1
    assert quarry("advise", trace, "--fail-on", "any:high").returncode in {0, 1}
    for wrong in ("nonsense", "any:huge"):
        done = quarry("advise", trace, "--fail-on", wrong)
        assert done.returncode == 2
        assert wrong in done.stderr


def test_a_suggested_command_works(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, *CASES["chunk-shape"][0])
    (finding,) = (f for f in findings(trace) if f["id"] == "chunk-shape")
    command = finding["fix"].split("`")[1]
    path = f"{os.environ['PATH']}:{REPOSITORY / '.deps/hdf5/bin'}"
    if shutil.which("h5repack", path=path) is None:
        pytest.skip("needs h5repack")
    env = os.environ | {"PATH": path}
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, env=env)
    os.replace(tmp_path / "data.h5.repacked", tmp_path / "data.h5")
    after = trace_of(tmp_path / ".", *[("again", CASES["chunk-shape"][0][1][1])])
    again = [f for f in findings(after) if f["id"] == "chunk-shape" and f["tasks"] == ["again"]]
    assert not again


def test_what_changed_between_two_traces(tmp_path: Path) -> None:
    traces = []
    for name, number in (("bad", 0), ("good", 1)):
        (tmp_path / name).mkdir()
        traces.append(trace_of(tmp_path / name, *CASES["chunk-shape"][number]))
    diff = json.loads(quarry("diff", "--json", *traces).stdout)
    assert "chunk-shape" in {finding["id"] for finding in diff["vanished"]}
    (row,) = (r for r in diff["rows"] if (r["task"], r["object"]) == ("use", "/x"))
    assert row["before"]["bytes_moved"] > 10 * row["after"]["bytes_moved"]
    text = quarry("diff", *traces).stdout
    assert "Findings that are gone" in text
    same = quarry("diff", traces[0], traces[0])
    assert "tell the same" in same.stdout
    assert quarry("diff", traces[0], tmp_path / "nowhere").returncode == 125


def test_what_holds_for_a_family_is_said_once(tmp_path: Path) -> None:
    make_all = """
for i in range(5):
    with h5py.File(f"member_{i}.h5", "w") as f:
        f.create_dataset("x", data=rng.random((1500, 10)), chunks=(1, 10))
"""
    trace = trace_of(tmp_path, ("make", make_all))
    (finding,) = (f for f in findings(trace) if f["id"] == "tiny-chunks")
    assert len(finding["objects"]) == 5
    assert finding["sentence"].endswith("The same holds for 4 more like it.")


def test_nothing_to_say(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, ("make", 'h5py.File("data.h5", "w")["x"] = np.arange(10.0)'))
    done = quarry("advise", trace)
    assert done.returncode == 0
    assert "nothing to mend" in done.stdout
