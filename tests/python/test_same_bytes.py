"""A generated variety of files comes out byte for byte as without Quarry."""

import os
from pathlib import Path

import pytest
from running import Mode

PROGRAMS = Path(__file__).parent / "programs"
COUNT = 60

# HDF5's cache writes in an order that depends on how much is in it, so all files share one process.
RUN = """
import runpy, sys
sys.argv = ["", {seed!r}, "{count}"]
runpy.run_path({program!r}, run_name="__main__")
"""


@pytest.mark.hazard(4, 20)
@pytest.mark.parametrize("writer", ("h5py", "netcdf4", "xarray"))
@pytest.mark.parametrize("options", ("bytes=on", "bytes=off"))
def test_same_bytes(both, fixed_clock, writer, options):
    seed = f"{os.environ['QUARRY_SEED']}-{options}"
    program = RUN.format(seed=seed, count=COUNT, program=str(PROGRAMS / f"vary_{writer}.py"))
    outcome = both(program, options=options, env=fixed_clock)
    assert len(outcome.files) > COUNT * 0.9
    refused = [line for line in outcome.lines() if "refused" in line]
    assert len(refused) < COUNT / 2, "the dice ask for too much"


def test_clock_stands_still(run_python, fixed_clock):
    """Otherwise files of two runs in the same second would prove nothing."""
    outcome = run_python("import time; print(time.time())", Mode.BASELINE, env=fixed_clock)
    assert outcome.stdout == "1700000000.0\n"
