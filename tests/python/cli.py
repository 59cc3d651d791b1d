"""Runs the `quarry` program as a user would, and makes programs for it to look at."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from running import clean_environment

REPOSITORY = Path(__file__).parents[2]
# Where traces of programs go that are not told where.
SCRATCH = tempfile.TemporaryDirectory(prefix="quarry-test-")
QUARRY = Path(os.environ.get("QUARRY_PROGRAM", REPOSITORY / "build/bin/quarry")).resolve()


def quarry(
    *words: object, env: dict[str, str] | None = None, **more
) -> subprocess.CompletedProcess:
    environment = clean_environment() | (env or {})
    defaults = {"capture_output": True, "text": True, "timeout": 120, "cwd": SCRATCH.name}
    more = defaults | more
    return subprocess.run([str(QUARRY), *map(str, words)], env=environment, check=False, **more)


def record(
    folder: Path,
    *command: object,
    task: str | None = None,
    trace: str | Path = "t",
    options: tuple[str, ...] = (),
    **more,
) -> subprocess.CompletedProcess:
    """Runs a command in this folder, and records it there."""
    named = () if task is None else ("--task", task)
    words = ("run", "--trace", trace, *named, *options, "--", *command)
    done = quarry(*words, cwd=folder, **more)
    assert done.returncode == 0, done.stderr
    return done


def record_tasks(folder: Path, *tasks: tuple[str, str]) -> Path:
    """The trace of Python programs, each a task."""
    for task, program in tasks:
        record(folder, sys.executable, "-c", program, task=task)
    return folder / "t"


FAKE_LIBRARY = """
int H5open(void);
const char H5_lib_vers_info_g[] = "HDF5 library version: {version}";
int H5open(void) {{ return H5_lib_vers_info_g[0]; }}
"""
FAKE_PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int H5open(void);
int main(void) {
    const char *connector = getenv("HDF5_VOL_CONNECTOR");
    puts(connector ? connector : "none");
    return H5open() == 0;
}
"""


def make_program(folder: Path, version: str, linking: str) -> Path:
    """A program with something that looks like HDF5; it prints the connector that it was given."""
    library, program = folder / "fake.c", folder / "program.c"
    library.write_text(FAKE_LIBRARY.format(version=version))
    program.write_text(FAKE_PROGRAM)
    if linking == "shared":
        compile_c("-shared", "-fPIC", "-o", folder / "libhdf5.so", library)
        compile_c("-o", folder / "program", program, folder / "libhdf5.so", f"-Wl,-rpath,{folder}")
    else:
        exported = ["-rdynamic"] if linking == "exported" else []
        compile_c("-o", folder / "program", program, library, *exported)
    return folder / "program"


def compile_c(*words: object) -> None:
    subprocess.run(["cc", *map(str, words)], check=True)
