"""How the paths of objects are learnt: without looking through files for them."""

import json
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from cli import quarry

GROUPS = 3000


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in which a search would have to read much."""
    path = tmp_path_factory.mktemp("paths") / "crowded.h5"
    with h5py.File(path, "w") as file:
        for number in range(GROUPS):
            file.create_group(f"group{number}")
        file["target"] = np.arange(10)
        file["large"] = np.zeros(3_000_000)
        file.attrs["reference"] = file["target"].ref
    return path


def recorded(path: Path, code: str, tmp_path: Path) -> list[dict]:
    program = f"import h5py, numpy as np\nf = h5py.File({str(path)!r}, 'a')\n{code}\nf.close()"
    done = quarry("run", "--trace", tmp_path / "t", "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    lines = quarry("export", tmp_path / "t").stdout.splitlines()
    return [json.loads(line) for line in lines]


def reads(events: list[dict]) -> int:
    return sum(e["event"] == "io" and e["direction"] == "read" for e in events)


def test_a_dataset_that_is_linked_later_has_its_path_and_costs_no_search(
    crowded: Path, tmp_path: Path
) -> None:
    events = recorded(crowded, 'f["new"] = np.arange(5); f["new"][:]', tmp_path)
    assert any(e["event"] == "read" and e["object"] == "/new" for e in events)
    assert any(e["event"] == "write" and e["object"] == "/new" for e in events)
    assert reads(events) < 100


def test_a_reference_in_a_large_file_costs_no_search(crowded: Path, tmp_path: Path) -> None:
    events = recorded(crowded, 'f[f.attrs["reference"]][:]', tmp_path)
    assert reads(events) < 100
    assert any(e["event"] == "read" for e in events)


def test_a_path_that_comes_later_counts_for_what_was_before(crowded: Path, tmp_path: Path) -> None:
    events = recorded(crowded, 'f[f.attrs["reference"]][:]; f["target"][:]', tmp_path)
    assert [e["object"] for e in events if e["event"] == "read"] == ["/target", "/target"]


def test_a_reference_in_a_small_file_leads_to_a_path(tmp_path: Path) -> None:
    path = tmp_path / "small.h5"
    with h5py.File(path, "w") as file:
        file["inner/target"] = np.arange(10)
        file.attrs["reference"] = file["inner"].ref
    events = recorded(path, 'f[f.attrs["reference"]]["target"][:]', tmp_path)
    assert [e["object"] for e in events if e["event"] == "read"] == ["/inner/target"]
