"""What bench/carving makes of the numbers that it has measured."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
DIFFER = ", two equal runs differ by [{}]"


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(BENCH))
    loader = SourceFileLoader("bench_carving", str(BENCH / "carving"))
    module = module_from_spec(spec_from_loader("bench_carving", loader))
    sys.modules["bench_carving"] = module
    loader.exec_module(module)
    yield module
    sys.path.remove(str(BENCH))


def row(recorded, noise=(1.0, 0.99, 1.01), **more):
    ratios = {"original again": noise, "recorded": recorded, "on carved": (1.0, 0.99, 1.01)}
    return {"title": "one", "ratios": ratios, "over_limit": -5} | more


@pytest.mark.parametrize(
    ("recorded", "noise", "line"),
    [
        (
            (1.011, 1.001, 1.03),
            (1.0, 0.99, 1.01),
            "holds           one: recorded, at most 2 % longer: median 1.011 [1.001, 1.030]",
        ),
        (
            (1.03, 1.015, 1.05),
            (1.0, 0.99, 1.01),
            "cannot be told  one: recorded, at most 2 % longer: median 1.030 [1.015, 1.050]"
            + DIFFER.format("0.990, 1.010"),
        ),
        (
            (1.05, 1.04, 1.06),
            (1.0, 0.9, 1.045),
            "cannot be told  one: recorded, at most 2 % longer: median 1.050 [1.040, 1.060]"
            + DIFFER.format("0.900, 1.045"),
        ),
        (
            (1.05, 1.03, 1.06),
            (1.0, 0.99, 1.01),
            "DOES NOT HOLD   one: recorded, at most 2 % longer: median 1.050 [1.030, 1.060]",
        ),
    ],
)
def test_how_much_longer(bench, recorded, noise, line):
    first, carved, size = bench.verdicts([row(recorded, noise)], [], {}, {})
    assert str(first) == line
    assert carved.outcome is size.outcome is bench.Outcome.HOLDS


def test_beyond_start_up(bench):
    seconds = {"original": 1.0, "recorded": 1.05, "on carved": 1.2}
    beyond = {"recorded": (1.04, 0.9, 1.2), "on carved": (1.06, 1.0, 1.2)}
    program = row((1, 1, 1), (1.0, 0.95, 1.07), seconds=seconds, ratios_beyond=beyond)
    lines = [str(one) for one in bench.verdicts([], [program], {}, {})]
    longer = "beyond start-up at most 5 % longer: median"
    assert lines == [
        "holds           one: no more bytes than data, metadata and 2 % or 64 KiB: 5 bytes less",
        "holds           one: recorded, by less than is seen, 0.1 s, longer: 0.050 s",
        f"holds           one: recorded, {longer} 1.040 [0.900, 1.200]",
        "DOES NOT HOLD   one: on carved, by less than is seen, 0.1 s, longer: 0.200 s",
        f"cannot be told  one: on carved, {longer} 1.060 [1.000, 1.200]"
        + DIFFER.format("0.950, 1.070"),
    ]


def test_speed_of_carving(bench):
    copying = {1: (0.6, 0.4, 0.7), 4: (0.45, 0.4, 0.55), 9: (0.4, 0.3, 0.49)}
    objects = {"kept": (50, 40, 70), "hollow": (61, 59, 63), "lost": (70, 61, 80)}
    outcomes = [one.outcome.value for one in bench.verdicts([], [], copying, objects)]
    assert outcomes == ["holds", "cannot be told", "DOES NOT HOLD"] * 2
