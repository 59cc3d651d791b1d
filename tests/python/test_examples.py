"""The examples find what was planted in them, and mending it brings something."""

import subprocess
import sys

import pytest
from running import clean_environment

from cli import REPOSITORY


@pytest.mark.parametrize("example", ["storm-tracking", "molecular-dynamics", "image-synthesis"])
def test_what_was_planted_is_found_and_mended(example: str) -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "examples" / example / "run"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT FOUND" not in done.stdout
