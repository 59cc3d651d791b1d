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
        """Requests, bytes and seconds of I/O of HDF5, all tasks together."""
        rows = self.ask("summary")["usage"]
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


def show_gain(title: str, before: Workflow, after: Workflow) -> bool:
    """Prints what the change has brought; whether requests and bytes have both become fewer."""
    print(f"\n{title}")
    old, new = before.moved(), after.moved()
    fewer = True
    for name, was, now in zip(("requests", "bytes"), old, new):
        print(f"  {name:<10} {was:>14,} > {now:>12,}   {was / max(now, 1):5.1f} times fewer")
        fewer = fewer and now < was
    print(
        f"  {'I/O':<10} {old[2]:>12.3f} s > {new[2]:>10.3f} s   {old[2] / new[2]:5.1f} times faster"
    )
    print(f"  {'the run':<10} {before.seconds:>12.1f} s > {after.seconds:>10.1f} s")
    return fewer
