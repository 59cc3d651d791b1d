"""The report: what its data says, and what its page shows in a real Chromium."""

import json
import re
import subprocess
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from browser import keep_screenshot, opened
from playwright.sync_api import Locator, Page, TimeoutError
from running import clean_environment

from cli import QUARRY, REPOSITORY, quarry, record_tasks

SCHEMA = json.loads((REPOSITORY / "docs/formats/report.schema.json").read_text())
ROWS, COLUMNS = 30, 40

MAKE = f"""
import h5py, numpy as np
with h5py.File("data.h5", "w") as f:
    f.create_dataset("grid", data=np.arange({ROWS * COLUMNS}).reshape({ROWS}, {COLUMNS}))
    f["never read"] = np.zeros(200_000)
    f.create_group("inner")["line"] = np.arange(1000)
"""
USE = """
import h5py
with h5py.File("data.h5", "r") as f:
    f["grid"][2:7, 10:20]
    f["grid"][5:9, ::4]
    f["inner/line"][100:200]
open("notes.txt", "w").write("done")
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    members = [(f"use_{number}", USE) for number in range(3)]
    return record_tasks(tmp_path_factory.mktemp("report"), ("make", MAKE), *members)


def report_of(trace: Path, *words: str) -> dict:
    done = quarry("report", "--json", *words, trace)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return report


def page_of(trace: Path, *words: str) -> Path:
    page = trace.parent / "report.html"
    done = quarry("report", "-o", page, *words, trace)
    assert done.returncode == 0, done.stderr
    return page


def times_read() -> np.ndarray:
    times = np.zeros((ROWS, COLUMNS))
    times[2:7, 10:20] += 3
    times[5:9, ::4] += 3
    return times


def unpacked(runs: list[float]) -> list[float]:
    return [value for value, count in zip(runs[::2], runs[1::2]) for _ in range(count)]


def test_heat_maps_are_the_selections_that_were_made(trace: Path) -> None:
    report = report_of(trace)
    maps = {one["label"]: one for one in report["heat_maps"]}
    assert set(maps) == {"/grid", "/inner/line"}
    grid = maps["/grid"]
    assert (grid["shape"], grid["rows"]["parts"], grid["columns"]["parts"]) == (
        [ROWS, COLUMNS], ROWS, COLUMNS,
    )  # fmt: skip
    assert unpacked(grid["times"]) == times_read().ravel().tolist()
    assert unpacked(grid["share"]) == (times_read() > 0).ravel().astype(float).tolist()


def test_the_timeline_holds_all_that_was_moved(trace: Path) -> None:
    report = report_of(trace)
    usage = json.loads(quarry("summary", "--json", trace).stdout)["usage"]
    amounts = [amount for task in report["timeline"]["tasks"] for amount in task["amounts"]]
    for place, fields in (
        (1, ("bytes_read", "bytes_read_without_hdf5")),
        (2, ("bytes_written", "bytes_written_without_hdf5")),
    ):
        expected = sum(row[field] for row in usage for field in fields)
        assert sum(amount[place] for amount in amounts) == expected
    assert all(0 <= amount[0] < report["timeline"]["parts"] for amount in amounts)


def test_time_runs_from_left_to_right(trace: Path) -> None:
    nodes = {node["label"]: node for node in report_of(trace)["nodes"]}
    columns = [nodes[name]["column"] for name in ("make", "/grid", "use_0")]
    assert columns == sorted(set(columns))
    assert nodes["use_0"]["column"] == nodes["use_2"]["column"]


FIELDS = {
    "selected": ("bytes_selected_read", "bytes_selected_written"),
    "moved": ("bytes_read", "bytes_written"),
    "calls": ("reads", "writes"),
    "ios": ("ios",),
    "opens": ("opens",),
    "touches": ("touches",),
}


def node_at(page: Page, key: str) -> tuple[float, float]:
    """Where a node is on the screen; brought into view first."""
    page.locator(".graph-canvas").scroll_into_view_if_needed()
    place = page.evaluate("key => quarryGraph.getElementById(key).renderedPosition()", key)
    box = page.locator(".graph-canvas").bounding_box()
    return box["x"] + place["x"], box["y"] + place["y"]


def key_of(page: Page, label: str) -> str:
    found = page.evaluate(
        "label => quarryGraph.nodes().filter(n => n.data('label').startsWith(label)).map(n => n.id())",
        label,
    )
    assert found, label
    return found[0]


def node_count(page: Page, selector: str = "node") -> int:
    return page.evaluate("selector => quarryGraph.elements(selector).length", selector)


def is_drawn(page: Page) -> bool:
    """Whether the graph's canvases hold anything but one colour."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.graph-canvas canvas')].some(canvas => {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size > 20;
        })"""
    )


def hovered(page: Page, label: str) -> Locator:
    """The tip of a node. A move that comes while the page is still being laid out meets nothing."""
    tip = page.locator(".tip")
    for _ in range(10):
        page.mouse.move(*node_at(page, key_of(page, label)))
        with suppress(TimeoutError):
            tip.wait_for(timeout=3000)
            return tip
        page.mouse.move(0, 0)
    raise AssertionError(f"no tip at {label}")


def test_the_page_can_be_used(trace: Path) -> None:
    usage = json.loads(quarry("summary", "--json", trace).stdout)["usage"]
    with opened(page_of(trace)) as page:
        assert "4 tasks in 4 processes" in page.locator("#overview").inner_text()
        assert is_drawn(page)
        everything = node_count(page)
        keep_screenshot(page, "report-light")

        # Hover: the figures are those of the summary.
        tip = hovered(page, "/grid")
        rows = [row for row in usage if row.get("object") == "/grid"]
        for field, parts in FIELDS.items():
            expected = sum(row[part] for row in rows for part in parts)
            shown = tip.locator(f'[data-field="{field}"]')
            assert (int(shown.get_attribute("data-value")) if expected else 0) == expected, field

        # Search.
        page.fill('.toolbar input[type="search"] >> nth=0', "LINE")
        assert page.locator(".hits").first.inner_text() == "1 found"
        assert node_count(page, ".found") == 1
        page.fill('.toolbar input[type="search"] >> nth=0', "")

        # Filter.
        page.get_by_label("dataset", exact=True).first.uncheck()
        assert node_count(page, '[kind = "dataset"]') == 0
        page.get_by_label("dataset", exact=True).first.check()
        assert node_count(page) == everything

        # Lineage, by a click: what nobody reads leads nowhere.
        page.mouse.click(*node_at(page, key_of(page, "/never read")))
        assert "/never read" in page.locator(".panel").inner_text()
        faded = page.evaluate(
            "quarryGraph.nodes('.faded').map(n => n.data('label').split('\\n')[0])"
        )
        assert set(faded) >= {"use_0", "use_1", "use_2"} and "make" not in faded
        page.mouse.click(*node_at(page, key_of(page, "make")))
        assert node_count(page, "node.faded") == 0

        # Groups: closed by choice, opened by a double click and by the keyboard.
        page.get_by_label("data", exact=True).select_option("file")
        assert node_count(page, '[kind = "dataset"]') == 0
        page.mouse.dblclick(*node_at(page, key_of(page, "data.h5")))
        page.wait_for_function("quarryGraph.nodes('[kind = \"dataset\"]').length > 0")
        page.get_by_label("tasks", exact=True).select_option("family")
        group = key_of(page, "use_#")
        page.mouse.click(*node_at(page, group))
        page.locator(".graph-canvas").focus()
        page.keyboard.press("Enter")
        assert node_count(page, '[kind = "task"]') == 4
        page.keyboard.press("ArrowLeft")
        assert node_count(page, "node:selected") == 1
        page.keyboard.press("Escape")
        assert node_count(page, "node:selected") == 0
        zoom = page.evaluate("quarryGraph.zoom()")
        page.keyboard.press("+")
        assert page.evaluate("quarryGraph.zoom()") > zoom


def test_the_page_draws_the_heat_map_that_was_made(trace: Path) -> None:
    with opened(page_of(trace)) as page:
        page.locator("tr", has_text="/grid").get_by_role("button").first.click()
        canvas = page.locator("canvas.heat")
        share = np.array(json.loads(canvas.get_attribute("data-values"))).reshape(ROWS, COLUMNS)
        assert (share == (times_read() > 0)).all()
        page.get_by_label("show", exact=True).select_option("times")
        times = np.array(json.loads(canvas.get_attribute("data-values"))).reshape(ROWS, COLUMNS)
        assert (times == times_read()).all()
        # The canvas shows it: a cell that was read has another colour than one that was not.
        colours = page.evaluate(
            """() => {
                const canvas = document.querySelector('canvas.heat');
                const pen = canvas.getContext('2d');
                const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
                const left = Math.round(4.5 * rem);
                const height = canvas.height - 2 * rem, width = canvas.width - left;
                const cell = (row, column) => [...pen.getImageData(
                    left + (column + 0.5) * width / 40, (row + 0.5) * height / 30, 1, 1).data].join();
                return [cell(3, 12), cell(20, 12), cell(21, 13)];
            }"""
        )
        assert colours[0] != colours[1] == colours[2]
        canvas.focus()
        page.keyboard.press("ArrowDown")
        assert "read" in page.locator(".cell").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (3840, "light")])
def test_the_page_fits_the_screen(trace: Path, width: int, scheme: str) -> None:
    with opened(page_of(trace), width=width, scheme=scheme) as page:
        assert is_drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        is_dark = sum(map(int, re.findall(r"\d+", background)[:3])) < 300
        assert is_dark == (scheme == "dark")
        # Text stays about as large a part of the screen.
        size = float(page.evaluate("getComputedStyle(document.body).fontSize")[:-2])
        assert size >= (15 if width == 1280 else 24)
        keep_screenshot(page, f"report-{scheme}-{width}")


def test_the_page_prints(trace: Path) -> None:
    with opened(page_of(trace), scheme="dark") as page:
        printed = page.pdf(path=trace.parent / "report.pdf", format="A4")
        assert printed.startswith(b"%PDF") and len(printed) > 20_000
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()


def test_everything_can_be_reached_with_the_keyboard(trace: Path) -> None:
    with opened(page_of(trace)) as page:
        reached = set()
        for _ in range(300):
            page.keyboard.press("Tab")
            reached.add(
                page.evaluate("document.activeElement.closest('section, header')?.id || 'header'")
            )
            if len(reached) == 7:
                break
        assert reached == {
            "header", "overview", "graph", "timeline", "objects", "heat", "findings",
        }  # fmt: skip


HOSTILE = [
    'quo"te',
    "<script>document.title = 'taken'<|script>",
    "<img src=x onerror=document.title='taken'>",
    "new\nline",
    "\u202eright to left",
    "x" * 10_000,
    "back\\slash",
    "\u2028line separator",
    "${document.title='taken'}",
]


def test_names_are_only_text(tmp_path: Path) -> None:
    code = f"""
import h5py
with h5py.File("data.h5", "w") as f:
    for name in {HOSTILE!r}: f[name.replace("/", "").replace("|", "\\u2215")] = 1
with h5py.File("data.h5", "r") as f:
    for name in f: f[name][()]
"""
    task = "</script><script>document.title = 'taken'</script>"
    trace = record_tasks(tmp_path, (task, code))
    file = page_of(trace)
    text = file.read_text()
    assert text.count("<script") == 2 and text.count("</script>") == 2
    assert len(text) < 1_000_000
    with opened(file) as page:
        assert page.title() == "Quarry report"
        assert page.locator("img").count() == 0
        assert "</script>" in page.locator("#timeline").inner_text()
        page.mouse.click(*node_at(page, page.evaluate("quarryGraph.nodes()[0].id()")))
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert page.title() == "Quarry report"
        keep_screenshot(page, "report-hostile-names")


COMMANDS = [
    ["summary"],
    ["ls"],
    ["advise", "--top", "0"],
    ["report", "--text"],
    ["live", "--once"],
    ["diff", "--top", "0", "t"],
    ["export", "--format", "csv"],
    ["export", "--format", "dot"],
    ["export", "--format", "graphml"],
]


def test_names_do_not_reach_the_terminal_as_commands(tmp_path: Path) -> None:
    names = [*HOSTILE, "\x1b[31mred", "\x9b31mred", "\u2066isolated", "bell\a"]
    code = f"""
import h5py, numpy as np
with h5py.File("data.h5", "w") as f:
    for name in {names!r}: f[name.replace("/", "").replace("|", "\u2215")] = np.zeros(300_000)
with h5py.File("data.h5", "r") as f:
    for name in list(f)[:3]: f[name][()]
"""
    record_tasks(tmp_path, ("\x1b]0;taken\x07 \u202e task", code), ("after", "import h5py"))
    for words in COMMANDS:
        done = quarry(*words, "t", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        shown = done.stdout + done.stderr
        allowed = "\n\u2028\u2029" if words[0] == "export" else "\n"
        # csv keeps names as they are, in quotes: it is data, not text for a terminal.
        if words[-1] == "csv":
            continue
        commands = {c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}}
        turned = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
        assert not {c for c in commands if unicodedata.category(c) == "Cc"} - set(allowed), words
        if words[0] != "export":
            assert not commands & turned, words


def test_live_follows_a_program_to_its_end(tmp_path: Path) -> None:
    code = """
import h5py, sys
with h5py.File("data.h5", "w") as f:
    f["x"] = range(1000)
    f.flush()
    sys.stdin.readline()
    f["y"] = range(1000)
"""
    run = [QUARRY, "run", "--trace", "t", "--task", "slow", "--", sys.executable, "-c", code]
    program = subprocess.Popen(
        run, cwd=tmp_path, stdin=subprocess.PIPE, text=True, env=clean_environment()
    )
    while not list(tmp_path.glob("t/*")) or "/x" not in quarry("ls", "t", cwd=tmp_path).stdout:
        assert program.poll() is None
    live = subprocess.Popen(
        [QUARRY, "live", "--interval", "0.1", "t"], cwd=tmp_path, text=True, stdout=subprocess.PIPE
    )
    lines = [live.stdout.readline() for _ in range(3)]
    assert lines[0].strip() == "1 running" and "1 task" in lines[1]
    program.communicate("go on\n", timeout=60)
    rest, _ = live.communicate(timeout=60)
    assert live.returncode == 0
    assert rest.count("all have ended") == 1 and "1 running" in "".join(lines) + rest


def test_the_overview_is_the_same_in_the_terminal(trace: Path) -> None:
    report = report_of(trace)
    done = quarry("report", "--text", trace)
    assert done.returncode == 0, done.stderr
    for sentence in report["overview"]:
        assert sentence in done.stdout
    assert any(s.startswith("Recording this held the programs up") for s in report["overview"])
    assert any("no record is missing" in s for s in report["overview"])
    assert report["findings"][0]["sentence"] in done.stdout


def test_a_report_replaces_only_a_report(trace: Path, tmp_path: Path) -> None:
    precious = tmp_path / "thesis.html"
    precious.write_text("<title>years of work</title>")
    done = quarry("report", "-o", precious, trace)
    assert done.returncode == 125 and "left alone" in done.stderr
    assert precious.read_text() == "<title>years of work</title>"
    page = tmp_path / "page.html"
    for _ in range(2):
        assert quarry("report", "-o", page, trace).returncode == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["page.html", "thesis.html"]
    done = quarry("report", "-o", tmp_path / "missing/page.html", trace)
    assert done.returncode == 125 and "cannot be written" in done.stderr


def test_what_is_no_trace_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/notes.txt").write_text("hello")
    for name in ("missing", "empty", "foreign"):
        for words in (["report"], ["report", "--text"], ["advise"], ["live", "--once"]):
            done = quarry(*words, name, cwd=tmp_path)
            assert done.returncode == 125, (name, words)
            assert name in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "report.html").exists()


MANY = """
import os, h5py, numpy as np, random
draw = random.Random(1)
with h5py.File("many.h5", "w") as f:
    for i in range({datasets}): f[f"g{{i % 7}}/d{{i}}"] = np.zeros(4)
    for task in range({tasks}):
        os.environ["QUARRY_TASK"] = f"task_{{task}}"
        for i in draw.sample(range({datasets}), {reads}): f[f"g{{i % 7}}/d{{i}}"][:]
"""


def test_a_thousand_nodes_are_all_there(tmp_path: Path) -> None:
    trace = record_tasks(tmp_path, ("many", MANY.format(datasets=900, tasks=100, reads=60)))
    report = report_of(trace)
    assert len(report["nodes"]) > 1000 and len(report["edges"]) > 6000
    assert not any("members" in node for node in report["nodes"])
    with opened(page_of(trace)) as page:
        page.get_by_role("button", name="Open all").click()
        assert node_count(page) == len(report["nodes"])
        assert is_drawn(page)


def test_too_many_objects_are_put_together(tmp_path: Path) -> None:
    trace = record_tasks(tmp_path, ("many", MANY.format(datasets=20_000, tasks=20, reads=500)))
    report = report_of(trace)
    assert len(report["nodes"]) <= 2500 and len(report["edges"]) <= 10_000
    usage = json.loads(quarry("summary", "--json", trace).stdout)["usage"]
    assert sum(edge[10] for edge in report["edges"]) == sum(row["ios"] for row in usage)
    assert sum(edge[5] for edge in report["edges"]) == sum(
        row["reads"] + row["writes"] for row in usage
    )
    assert page_of(trace).stat().st_size < 8_000_000
