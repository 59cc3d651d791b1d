"""Runs one small program natively and under the connector, each time in a fresh process and folder."""

import difflib
import importlib.util
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from textwrap import dedent

TIMEOUT = 120  # seconds; a hanging exit must fail the test that caused it
OURS = ("HDF5_", "QUARRY_", "PYTEST_", "NETCDF")


class Mode(Enum):
    BASELINE = "baseline"  # as a user without Quarry would run it
    CONNECTOR = "connector"  # the connector selected for the whole process tree
    BASELINE_WITH_PATH = "baseline-with-path"  # the same, with a plugin path of the user's own
    LYING = "lying"  # on that path lies our plugin, and nobody has selected it


@dataclass(frozen=True)
class Witness:
    """What the connector says: it was bound to this library in this process, and reached so far."""

    pid: int
    library: str
    reached: frozenset[str]


@dataclass
class Outcome:
    """All that a program shows to the world."""

    status: int
    stdout: str
    stderr: str
    files: dict[str, bytes]
    pid: int
    witnesses: list[Witness] = field(default_factory=list)

    def lines(self) -> list[str]:
        return self.stdout.splitlines()


def clean_environment() -> dict[str, str]:
    """Ours without anything that selects a connector, and with nothing left to chance."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    programs = str(Path(__file__).parent / "programs")
    return kept | {
        "PYTHONPATH": programs,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }


def netcdf4_filters() -> str:
    """The folder that the netCDF4 wheel makes the plugin path, where the user has set none."""
    package = importlib.util.find_spec("netCDF4")
    return str(Path(package.origin).parent / "plugins")


def environment_for(mode: Mode, plugin_dir: Path, witness: Path, options: str) -> dict[str, str]:
    """What `quarry run` sets for a user who has set nothing; or what a user has set who has a path."""
    if mode is Mode.BASELINE:
        return {}
    if mode is Mode.BASELINE_WITH_PATH:
        return {"HDF5_PLUGIN_PATH": netcdf4_filters()}
    if mode is Mode.LYING:
        return {"HDF5_PLUGIN_PATH": f"{netcdf4_filters()}:{plugin_dir}"}
    witness.mkdir(parents=True, exist_ok=True)
    return {
        "HDF5_PLUGIN_PATH": str(plugin_dir),
        "QUARRY_PLUGIN_PATH_UNSET": "1",
        "HDF5_VOL_CONNECTOR": f"quarry {options};witness={witness}",
    }


def read_witnesses(folder: Path) -> list[Witness]:
    if not folder.is_dir():
        return []
    return [_read_witness(file) for file in sorted(folder.iterdir())]


def _read_witness(file: Path) -> Witness:
    library, layers = "", set()
    for line in file.read_text().splitlines():
        if line.startswith("library "):
            library = line.removeprefix("library ").rpartition(" ")[0]
        else:
            layers.add(line)
    return Witness(int(file.name.partition("-")[0]), library, frozenset(layers))


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def run_program(
    folder: Path, code: str, environment: dict[str, str], timeout: int = TIMEOUT
) -> Outcome:
    """Runs `code` in `folder`, and kills its whole process group if it does not end."""
    program = folder.parent / "program.py"
    program.write_text(dedent(code))
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, str(program)],
        cwd=folder,
        env=clean_environment() | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            raise AssertionError(f"did not end in {timeout} s\n{stdout}\n{stderr}") from None
    return Outcome(process.returncode, stdout, stderr, files_below(folder), process.pid)


def assert_same(baseline: Outcome, other: Outcome, files: str = "same") -> None:
    """The same in every way that a user could see."""
    assert_same_text("stdout", baseline.stdout, other.stdout)
    assert_same_text("stderr", baseline.stderr, other.stderr)
    assert other.status == baseline.status, (
        f"exit status {other.status} instead of {baseline.status}"
    )
    assert sorted(other.files) == sorted(baseline.files)
    if files == "same":
        different = [name for name, data in baseline.files.items() if other.files[name] != data]
        assert not different, f"these files differ: {different}"


def assert_same_text(what: str, baseline: str, other: str) -> None:
    """Addresses differ from process to process."""
    baseline, other = (re.sub("0x[0-9a-f]+", "0x", text) for text in (baseline, other))
    lines = difflib.unified_diff(
        baseline.splitlines(), other.splitlines(), "natively", "with Quarry", n=0, lineterm=""
    )
    assert other == baseline, "\n".join([f"{what} differs:", *lines])
