"""Runs a suite once in one mode and gathers all that it left behind."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import debian13
import hdf5_output
import sdist
from modes import Connector, Mode, Places, launch
from proof import Process, Witness, linked_hdf5, read_processes, read_witnesses
from suites import REPOSITORY, SITE_PACKAGES, Suite
from workspace import Workspace

SECONDS_PER_TEST = 120
EXIT = "(exit of the run)"  # stands among the tests: a crash at exit is a difference, too

_preparing = threading.Lock()  # what runs share is fetched once, though runs start side by side
_under_way: set[subprocess.Popen] = set()


@dataclass
class Run:
    outcomes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    main: int = 0  # the process that ran the tests
    trace: dict = field(default_factory=dict)  # what `quarry summary` says, where it was recorded


@dataclass(frozen=True)
class Settings:
    connector: Connector
    whole: bool
    results: Path  # where logs and outcomes are kept


def run(suite: Suite, mode: Mode, number: int, settings: Settings) -> Run:
    """`number` tells repetitions apart in the names of logs."""
    name = f"{suite.name}-{mode.value}-{number}"
    with _preparing:
        root = debian13.prepared_root() if suite.in_debian13 else Path("/")
        source = (
            sdist.unpacked_sdist(suite.sdist, REPOSITORY / ".deps/suites") if suite.sdist else None
        )
    with Workspace(root) as workspace, open(settings.results / f"{name}.log", "w") as log:
        command = _command(suite, workspace, source, settings.whole)
        command, selection = _launch(suite, mode, workspace, settings.connector, command)
        environment = workspace.environment() | suite.environment | selection
        main, exit_status = _execute(workspace, command, environment, log, suite.timeout)
        result = _gather(suite, workspace, Path(log.name), main)
        if mode is Mode.RECORDING:
            result.trace = _read_trace(settings.connector.program, workspace.folder / "trace")
        ended = "; ".join([exit_status, *_notices(Path(log.name))])
        outcomes = {EXIT: ended, **result.outcomes}
        result.outcomes = {test: _normal(outcomes[test], workspace) for test in outcomes}
    (settings.results / f"{name}.json").write_text(json.dumps(asdict(result), indent=1))
    return result


def stop_all() -> None:
    for process in list(_under_way):
        _kill_group(process)


def _command(suite: Suite, workspace: Workspace, source: Path | None, whole: bool) -> list[str]:
    if suite.program:
        if not suite.program.exists():
            raise RuntimeError(f"{suite.program} is missing: `make setup` builds it")
        return [str(suite.program)]
    root = suite.root
    if source:
        # Its tests read, write and import files beside themselves.
        root = workspace.folder / "cwd"
        shutil.copytree(source / suite.sdist_folder, root, dirs_exist_ok=True)
    command = [suite.python, "-m", "pytest", "-p", "quarry_outcomes", "-p", "pytest_timeout"]
    command += ["-p", "no:cacheprovider", "-q", f"--timeout={SECONDS_PER_TEST}", *suite.arguments]
    # Else pytest would look for settings in the folders above, which may be this repository.
    settings = workspace.seen(workspace.folder / "inside/pytest.ini")
    command += [f"--config-file={settings}", f"--rootdir={root}", f"--confcutdir={root}"]
    command += [f"--basetemp={workspace.seen(workspace.folder / 'tmp/pytest')}"]
    command += [f"--outcomes={workspace.seen(workspace.outcomes)}"]
    if not whole and suite.listed():
        command.append(f"--only={suite.list_file}")
    return command + [str(root / target) for target in suite.targets]


def _launch(
    suite: Suite, mode: Mode, workspace: Workspace, connector: Connector, command: list[str]
) -> tuple[list[str], dict[str, str]]:
    if suite.in_debian13:
        # `quarry` was built for this machine, the plugin is to work in any.
        plugins = workspace.bring(connector.plugins)
        connector = replace(connector, plugins=plugins, string=connector.string or "quarry")
    places = Places(
        workspace.seen(workspace.folder / "witness"), workspace.seen(workspace.folder / "trace")
    )
    other_plugins = [SITE_PACKAGES / "netCDF4/plugins"] if suite.uses_netcdf4 else []
    return launch(mode, connector, command, places, other_plugins)


def _execute(workspace, command, environment, log, timeout) -> tuple[int, str]:
    """The process and how it ended."""
    process = subprocess.Popen(
        workspace.enter(command),
        cwd=workspace.folder / "cwd",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    _under_way.add(process)
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        return process.pid, f"stopped after {timeout} seconds"
    finally:
        # Also when we are interrupted, and for children that the suite left behind.
        _kill_group(process)
        _under_way.discard(process)
    ended = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
    return process.pid, ended


def _kill_group(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _gather(suite: Suite, workspace: Workspace, log: Path, main: int) -> Run:
    result = Run(main=main)
    result.witnesses = read_witnesses(workspace.folder / "witness", workspace.root)
    result.processes = read_processes(workspace.folder / "processes", workspace.root)
    if suite.program:
        result.outcomes = hdf5_output.read_outcomes(log.read_text(errors="replace"))
        # While it is recorded, `quarry run` stays and the program is its child.
        children = {witness.pid for witness in result.witnesses}
        result.main = children.pop() if len(children) == 1 else main
        result.processes = [Process(result.main, linked_hdf5(suite.program))]
    elif workspace.outcomes.exists():
        _read_outcomes(workspace.outcomes, result)
    return result


def _read_trace(quarry: Path, trace: Path) -> dict:
    done = subprocess.run(
        [quarry, "summary", trace, "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return {"problems": [done.stderr]}
    summary = json.loads(done.stdout)
    moved = sum(row["bytes_read"] + row["bytes_written"] for row in summary["usage"])
    return {
        "problems": summary["problems"],
        "records": summary["records"],
        "bytes": moved,
        "uncredited": summary["uncredited_bytes"],
    }


def _notices(log: Path) -> list[str]:
    """What Quarry said outside of any test, as when it steps aside: nothing, if all is well."""
    lines = log.read_text(errors="replace").splitlines()
    return [line for line in lines if line.startswith("quarry: ")]


def _read_outcomes(file: Path, result: Run) -> None:
    collected: list[str] = []
    started = ""
    for line in file.read_text().splitlines():
        record = json.loads(line)
        result.main = record.get("pid", result.main)
        collected = record.get("collected", collected)
        started = record.get("started", started)
        if "finished" in record:
            result.outcomes[record["finished"]] = record["outcome"]
            result.seconds[record["finished"]] = record["seconds"]
    for test in collected:
        if test not in result.outcomes:
            result.outcomes[test] = "the run ended in it" if test == started else "not run"


def _normal(outcome: str, workspace: Workspace) -> str:
    """The outcome without what differs between any two runs: folders, addresses, random names."""
    outcome = outcome.replace(str(workspace.seen(workspace.folder)), "<run>")
    outcome = re.sub(r"0x[0-9a-fA-F]+", "0x…", outcome)
    return re.sub(r"\btmp[a-z0-9_]{8}\b", "tmp…", outcome)
