"""Runs named commands side by side and tells of each, to a person and as JUnit XML."""

import os
import subprocess
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Case:
    name: str
    command: list
    cwd: Path | None = None
    environment: dict = field(default_factory=dict)
    timeout: int = 600


def run(case):
    """What went wrong, or None."""
    try:
        done = subprocess.run(
            case.command,
            check=False,
            cwd=case.cwd,
            env=os.environ | case.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=case.timeout,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {case.timeout} s: {' '.join(map(str, case.command))}"
    return None if done.returncode == 0 else f"{done.stdout}\n(exit code {done.returncode})"


def run_all(cases, suite, junit=None):
    """The exit code: 0 if all went well."""
    root = xml.Element("testsuite", name=suite, tests=str(len(cases)))
    failures = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, error in zip(cases, pool.map(run, cases)):
            print(f"{'ok  ' if error is None else 'FAIL'} {case.name}", flush=True)
            element = xml.SubElement(root, "testcase", classname=suite, name=case.name)
            if error is not None:
                failures += 1
                print(error.rstrip())
                # XML cannot hold control characters, which a crashed program may well print.
                xml.SubElement(element, "failure").text = "".join(
                    c for c in error if c.isprintable() or c in "\n\t"
                )
    root.set("failures", str(failures))
    if junit:
        xml.ElementTree(root).write(junit)
    return 1 if failures else 0
