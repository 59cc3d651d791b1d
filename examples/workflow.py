"""What the examples share: running a workflow under Quarry, and comparing it before and after."""

import json
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUARRY = ROOT / "build/bin/quarry"


class Workflow:
    """Tasks that record into one trace. They are ordinary scripts and know nothing of Quarry."""

    def __init__(self, example: Path, name: str) -> None:
        self.tasks = example / "tasks"
        self.place = ROOT / "build/examples" / example.name / name
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        self.trace = self.place / "trace"
        self.seconds = 0.0

    def run(self, task: str, script: str, *words: object) -> None:
        command = [QUARRY, "run", "--trace", self.trace, "--task", task, "--"]
        command += [sys.executable, self.tasks / script, *map(str, words)]
        done = subprocess.run(command, cwd=self.place, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{task} failed:\n{done.stderr}")

    def stage(self, *tasks: tuple, at_once: int = 1) -> None:
        """Runs tasks one after the other, or so many of them at once."""
        start = time.monotonic()
        with ThreadPoolExecutor(at_once) as pool:
            for done in [pool.submit(self.run, *task) for task in tasks]:
                done.result()
        self.seconds += time.monotonic() - start

    def ask(self, *words: object) -> dict:
        command = [QUARRY, *map(str, words), "--json", self.trace]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def findings(self) -> list[dict]:
        return self.ask("advise")["findings"]

    def moved(self) -> tuple[int, int, float]:
        """Requests, bytes and seconds of I/O of HDF5, all tasks together, in the workflow's folder.

        What is moved elsewhere is near to whoever moves it; the folder may be far from all of them.
        """
        rows = [
            row
            for row in self.ask("summary")["usage"]
            if Path(row.get("file", "")).is_relative_to(self.place)
        ]
        return (
            sum(row["ios"] for row in rows),
            sum(row["bytes_read"] + row["bytes_written"] for row in rows),
            sum(row["io_nanoseconds"] for row in rows) * 1e-9,
        )


def show_findings(workflow: Workflow, wanted: dict[str, str]) -> bool:
    """Prints the findings that the example is about; whether all of them were found."""
    found = {}
    for finding in workflow.findings():
        found.setdefault(finding["id"], finding)
    for rule, meaning in wanted.items():
        if rule in found:
            print(f"  {rule}: {found[rule]['sentence']}")
        else:
            print(f"  {rule}: NOT FOUND, although {meaning}")
    return all(rule in found for rule in wanted)


def show_gain(title: str, before: Workflow, after: Workflow, what_falls: set[str]) -> bool:
    """Prints what a change has brought; whether what was to become less has."""
    print(f"\n{title}")
    measures = ("requests", "bytes", "I/O", "the run")
    old = dict(zip(measures, (*before.moved(), before.seconds)))
    new = dict(zip(measures, (*after.moved(), after.seconds)))
    for name in measures:
        form = ",d" if isinstance(old[name], int) else ",.4f"
        unit = "  " if isinstance(old[name], int) else " s"
        was, now = (f"{values[name]:{form}}{unit}" for values in (old, new))
        print(f"  {name:<10} {was:>14} > {now:>14}   {old[name] / max(new[name], 1e-9):5.1f} times")
    return all(new[name] < old[name] for name in what_falls)
