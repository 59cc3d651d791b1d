"""What `make install` leaves works, wherever it was built."""

import re
import subprocess
import sys
from pathlib import Path

from running import clean_environment

from cli import QUARRY, REPOSITORY

PROGRAM = """
import h5py
with h5py.File("a.h5", "w") as f: f["d"] = range(9)
print(h5py.File("a.h5")["d"][8])
"""


def output_of(*command: object, **more) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_program_needs_nothing_of_where_it_was_built(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    output_of("cmake", "--install", QUARRY.parents[1], "--prefix", prefix)
    installed = prefix / "bin/quarry"
    libraries = output_of(
        installed, env=clean_environment() | {"LD_TRACE_LOADED_OBJECTS": "1"}, cwd=tmp_path
    )
    assert "libhdf5" in libraries and "not found" not in libraries
    assert f"=> {REPOSITORY}/" not in libraries
    run = [installed, "run", "--require", "--", sys.executable, "-c", PROGRAM]
    assert output_of(*run, env=clean_environment(), cwd=tmp_path) == "8\n"
    assert "/d" in output_of(installed, "summary", env=clean_environment(), cwd=tmp_path)


def test_no_library_is_looked_for_in_the_working_directory() -> None:
    """An empty part of the path means just that to the loader."""
    found = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", output_of("readelf", "-d", QUARRY))
    for part in ":".join(found).split(":") if found else []:
        assert part.startswith(("/", "$ORIGIN/"))
