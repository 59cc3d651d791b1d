"""What runs an application, carves its inputs and runs it on what is left of them."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUARRY = HERE.parent.parent / "build/bin/quarry"

# Each is shaped after one that was carved in a publication: what its files look like, what of them it reads.
APPLICATIONS = {
    "particle_filter": "POMD-PF: a particle filter over the output of a simulation, HDF5",
    "feature_database": "Feature Database: precipitation features, HDF5",
    "kriging_omi": "Kriging OMI Level 2: swaths onto a grid, HDF-EOS5",
    "kriging_viirs": "Kriging VIIRS: swaths onto a grid, netCDF-4",
    "tree_mortality": "Tree Mortality: climate and dead trees, netCDF-4",
    "kelp_forest": "Kelp Forest Projection: kelp and the warmth of the sea, netCDF-4",
}


@dataclass
class Run:
    """All that a program shows, and how long it took."""

    output: str
    result: bytes
    seconds: float
    processor: float  # seconds of it


def processor_time() -> float:
    """Of all processes that have been started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Program:
    """A program and its inputs, in a folder of its own. It knows nothing of Quarry."""

    def __init__(self, place: Path, quarry: Path, make: list, command: list) -> None:
        self.place, self.quarry = place, quarry
        self.data, self.aside = place / "data", place / "originals"
        self.trace, self.small, self.result = place / "trace", place / "small", place / "result"
        shutil.rmtree(place, ignore_errors=True)
        self.data.mkdir(parents=True)
        subprocess.run(make, cwd=self.data, check=True)
        self.command = [*command, self.result, *sorted(self.data.iterdir())]

    def run(self, *under: object) -> Run:
        self.result.unlink(missing_ok=True)
        start, before = time.monotonic(), processor_time()
        done = subprocess.run(
            [*map(str, under), *map(str, self.command)],
            cwd=self.place,
            # Sums that threads share differ in their last digits.
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds, processor = time.monotonic() - start, processor_time() - before
        if done.returncode != 0:
            raise RuntimeError(f"{self.place.name} failed:\n{done.stdout}{done.stderr}")
        return Run(done.stdout + done.stderr, self.result.read_bytes(), seconds, processor)

    def traced(self, *words: str) -> Run:
        shutil.rmtree(self.trace, ignore_errors=True)
        return self.run(self.quarry, "run", "--trace", self.trace, *words, "--")

    def carve(self, *words: object) -> str:
        """What was said of it."""
        command = [self.quarry, "carve", "-o", self.small, *words, self.trace]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self.place.name} is not carved:\n{done.stdout}{done.stderr}")
        return done.stdout

    @contextmanager
    def without_originals(self) -> Iterator[list]:
        """The originals are away; yields what to run the program under."""
        self.data.rename(self.aside)
        try:
            yield [self.quarry, "run", "--no-trace", "--carved", self.small, "--"]
        finally:
            self.aside.rename(self.data)

    def on_carved(self) -> Run:
        with self.without_originals() as under:
            return self.run(*under)

    def bytes_before_and_after(self) -> tuple[int, int]:
        carved = self.small / self.data.relative_to("/")
        before, after = (sum(f.stat().st_size for f in d.iterdir()) for d in (self.data, carved))
        return before, after


class Application(Program):
    def __init__(self, name: str, place: Path, size: str, quarry: Path = QUARRY) -> None:
        self.name = name
        make = [sys.executable, HERE / "inputs" / f"{name}.py", size]
        super().__init__(place, quarry, make, [sys.executable, HERE / "programs" / f"{name}.py"])
