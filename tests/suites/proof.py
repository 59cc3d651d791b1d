"""Proves from what a run left behind that the connector was in every process of it, or in none."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LAYERS = ("object-layer", "byte-layer")


@dataclass(frozen=True)
class Witness:
    """What the connector says: it was bound to this library in this process, and reached so far."""

    pid: int
    library: str
    reached: tuple[str, ...]


@dataclass(frozen=True)
class Process:
    """What a process says about itself at its end, whether or not the connector is there."""

    pid: int
    libraries: tuple[str, ...]
    connector: tuple[str, ...] = ()  # where the plugin is mapped from
    started_by: str = ""  # the test that started it, empty for the first process
    forked: bool = False


def read_witnesses(folder: Path, root: Path) -> list[Witness]:
    """The witness files in a folder; `root` is what the processes saw as `/`."""
    return [_read_witness(file, root) for file in sorted(folder.iterdir())]


def _read_witness(file: Path, root: Path) -> Witness:
    lines = file.read_text().splitlines()
    libraries = [match[1] for line in lines if (match := re.match(r"library (.*) \S+$", line))]
    library = _resolve(libraries[0], root) if libraries else "no library"
    return Witness(
        int(file.name.partition("-")[0]), library, tuple(line for line in lines if line in LAYERS)
    )


def read_processes(folder: Path, root: Path) -> list[Process]:
    records = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    return [
        Process(
            pid=record["pid"],
            libraries=tuple(_resolve(library, root) for library in record["libraries"]),
            connector=tuple(record["connector"]),
            started_by=record["started_by"],
            forked=record["forked"],
        )
        for record in records
    ]


def linked_hdf5(program: Path) -> tuple[str, ...]:
    """The HDF5 of a program that does not report it: the one that the loader gives it."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return tuple(map(os.path.realpath, re.findall(r"=> (\S*/libhdf5(?:_serial)?\.so\S*)", lines)))


def _resolve(path: str, root: Path) -> str:
    # The connector names a library as the loader did, a process as the kernel does.
    return os.path.realpath(root / path.lstrip("/"))


def lacking_proof(
    processes: list[Process], witnesses: list[Witness], main: int, beyond_reach: Mapping[str, str]
) -> list[str]:
    """Every process with HDF5 in it in which the connector was not, or not at work; empty is good."""
    problems = []
    if not any(process.pid == main for process in processes):
        problems.append(f"the first process ({main}) did not report which HDF5 it had")
    for process in processes:
        if any(exempt in process.started_by for exempt in beyond_reach):
            continue
        for library in process.libraries:
            problems += _lacking_in(process, library, witnesses, main)
    return problems


def _lacking_in(process: Process, library: str, witnesses: list[Witness], main: int) -> list[str]:
    kind = "forked process" if process.forked else "process"
    who = f"{kind} {process.pid} ({process.started_by or 'the first one'}) with {library}"
    seen = [w for w in witnesses if w.pid == process.pid and w.library == library]
    if not seen:
        return [f"no witness from {who}"]
    if process.pid != main:
        return []
    # A child may open no file, but a whole suite does.
    missing = [layer for layer in LAYERS if not any(layer in w.reached for w in seen)]
    return [f"the {layer} was never reached in {who}" for layer in missing]


def unwanted(processes: list[Process], witnesses: list[Witness], plugin_on_path: bool) -> list[str]:
    """Signs of a connector that was not selected; a plugin on the path may be mapped for probing."""
    problems = [
        f"witness of {w.library} in process {w.pid}, though not selected" for w in witnesses
    ]
    if not plugin_on_path:
        problems += [
            f"{p.connector[0]} in process {p.pid} of the baseline" for p in processes if p.connector
        ]
    return problems
