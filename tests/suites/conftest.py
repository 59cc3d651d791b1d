"""Options of the suites' harness, and the runs that its tests share."""

import signal
from pathlib import Path

import debian13
import pytest
from modes import Connector
from runs import Settings
from schedule import Schedule
from suites import REPOSITORY, SUITES

SUMMARIES = pytest.StashKey[list[str]]()


def pytest_addoption(parser):
    group = parser.getgroup("suites", "other people's test suites, with and without the connector")
    group.addoption(
        "--whole", action="store_true", help="run every test, not only the committed lists"
    )
    group.addoption("--suite", action="append", metavar="NAME", help="only this suite (repeatable)")
    group.addoption("--build", type=Path, default=REPOSITORY / "build", help="the build to test")
    group.addoption(
        "--connector",
        default="",
        metavar="STRING",
        help="set HDF5_VOL_CONNECTOR to this (and the witness) instead of using `quarry run`",
    )
    group.addoption("--jobs", type=int, default=2, help="runs side by side")


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        raise pytest.UsageError("the suites schedule their runs themselves: leave out -n")
    config.stash[SUMMARIES] = []


def pytest_generate_tests(metafunc):
    if "suite" in metafunc.fixturenames:
        suites = [pytest.param(s, id=s.name, marks=_marks(s)) for s in _chosen(metafunc.config)]
        metafunc.parametrize("suite", suites, scope="session")


def _marks(suite):
    obstacle = debian13.obstacle() if suite.in_debian13 else ""
    return [pytest.mark.skip(reason=obstacle)] if obstacle else []


def _chosen(config):
    names = config.getoption("--suite")
    if unknown := set(names or ()) - {suite.name for suite in SUITES}:
        raise pytest.UsageError(
            f"no suite {unknown}; there are: {', '.join(s.name for s in SUITES)}"
        )
    whole = config.getoption("--whole")
    return [s for s in SUITES if (s.name in names if names else whole or not s.only_whole)]


@pytest.fixture(scope="session")
def schedule(request):
    config = request.config
    results = REPOSITORY / "build/suites"
    results.mkdir(parents=True, exist_ok=True)
    build = config.getoption("--build").resolve()
    connector = Connector(
        plugins=build / "lib/quarry",
        program=build / "bin/quarry",
        string=config.getoption("--connector"),
    )
    settings = Settings(connector, config.getoption("--whole"), results)
    suites = [suite for suite in _chosen(config) if not _marks(suite)]
    # However we are ended, no run shall outlive us.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Schedule(suites, settings, config.getoption("--jobs")) as schedule:
        yield schedule


@pytest.fixture
def summaries(request):
    return request.config.stash[SUMMARIES]


def pytest_terminal_summary(terminalreporter, config):
    if config.stash[SUMMARIES]:
        terminalreporter.section("suites")
        for line in config.stash[SUMMARIES]:
            terminalreporter.write_line(line)
