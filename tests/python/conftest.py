"""Fixtures for tests that run programs natively and under the connector and compare what they show."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from carved_runs import make_carved
from carved_world import World, world_of
from carving import make_rich
from running import Mode, Outcome, assert_same, environment_for, read_witnesses, run_program

REPOSITORY = Path(__file__).parents[2]
CORPUS = REPOSITORY / ".deps/src/hdf5"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that are marked slow")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds; runs with --slow only")
    config.addinivalue_line(
        "markers", "hazard(*numbers): fails when the handling of these hazards is taken out"
    )
    # A shell starts what it puts into the background with SIGINT ignored, and ignored it would stay
    # in the programs under test.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Set before pytest-xdist starts its workers, which then agree.
    os.environ.setdefault("QUARRY_SEED", str(random.randrange(10**6)))


def pytest_report_header() -> str:
    return f"QUARRY_SEED={os.environ['QUARRY_SEED']}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    """A file with a little of everything that carving keeps."""
    return make_rich(tmp_path)


@pytest.fixture
def carved(tmp_path: Path) -> Path:
    """A file of which a little was read, with its carved copy in `small`."""
    return make_carved(tmp_path)


@pytest.fixture(params=["root", "user"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Data and carved files of root, and of another user."""
    with world_of(request.param) as made:
        yield made


@pytest.fixture(scope="session")
def plugin_dir() -> Path:
    folder = Path(os.environ.get("QUARRY_PLUGIN_DIR", REPOSITORY / "build/lib/quarry"))
    assert list(folder.glob("*quarry*.so")), f"no connector in {folder}: run `make build` first"
    return folder.resolve()


@pytest.fixture(scope="session")
def own_mounts() -> tuple[str, ...]:
    """What gives a command mounts of its own, which it may do with as it likes."""
    own = ("unshare", "--mount")
    tried = subprocess.run([*own, "true"], check=False, capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"needs mounts of its own: {tried.stderr}")
    return own


@pytest.fixture(scope="session")
def fixed_clock(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which time stands still: HDF5 writes the hour into its files."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = tmp_path_factory.mktemp("clock") / "fixed_clock.so"
    source = Path(__file__).parent.parent / "support/fixed_clock.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders with test files of HDF5's own, copied: their times are to be ours."""
    if not CORPUS.exists():
        pytest.skip("needs the source of HDF5")
    folder = tmp_path_factory.mktemp("corpus")
    for source in sorted({path.parent for path in CORPUS.rglob("*.h5")}):
        shutil.copytree(source, folder / source.relative_to(CORPUS), dirs_exist_ok=True)
    time.sleep(0.01)
    return folder


@pytest.fixture
def quarry_env(plugin_dir: Path, tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """The variables that select the connector, with a folder `witness` for its proof."""
    return lambda options="bytes=on": environment_for(
        Mode.CONNECTOR, plugin_dir, tmp_path / "witness", options
    )


@pytest.fixture
def run_python(plugin_dir: Path, tmp_path: Path) -> Callable[..., Outcome]:
    """Runs a program in a mode. All modes see the same path, which error messages contain.

    A variable in `env` that is None is taken out of the environment.
    """

    def run(
        code: str, mode: Mode, options: str = "bytes=on", env: dict | None = None, **more
    ) -> Outcome:
        witness = tmp_path / f"witness-{len(list(tmp_path.iterdir()))}"
        environment = environment_for(mode, plugin_dir, witness, options) | (env or {})
        environment = {key: value for key, value in environment.items() if value is not None}
        work = tmp_path / "work"
        try:
            outcome = run_program(work, code, environment, **more)
        finally:
            if work.exists():
                work.rename(tmp_path / f"{mode.value}-{len(list(tmp_path.iterdir()))}")
        outcome.witnesses = read_witnesses(witness)
        return outcome

    return run


@pytest.fixture
def both(run_python: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Asserts that a program does the same natively and in `mode`; answers what it did there.

    It must not end early by mistake: a status other than 0 is one that the test expects, or None for any.
    """

    def compare(
        code: str, mode: Mode = Mode.CONNECTOR, files: str = "same", status: int | None = 0, **more
    ) -> Outcome:
        without = Mode.BASELINE_WITH_PATH if mode is Mode.LYING else Mode.BASELINE
        baseline = run_python(code, without, **more)
        assert status in (None, baseline.status), baseline.stdout + baseline.stderr
        other = run_python(code, mode, **more)
        assert_same(baseline, other, files)
        assert bool(other.witnesses) == (mode is Mode.CONNECTOR), (
            "the connector was not where it should be"
        )
        return other

    return compare
