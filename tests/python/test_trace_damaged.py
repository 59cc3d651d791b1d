"""Traces that were damaged are read as far as they are sound, by every command, in reasonable time."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli import QUARRY, record

COMMANDS = (
    ("ls",),
    ("summary",),
    ("export",),
    ("export", "--format", "json"),
    ("advise",),
    ("report", "--json", "--regions", "4K"),
    ("report", "--text"),
    ("live", "--once"),
    ("export", "--format", "ro-crate"),
    ("what-if", "--file", "data.h5", "--paged", "4K"),
    ("what-if", "--object", "/x", "--chunks", "10x10"),
)
MAKE = """
import h5py, numpy as np
with h5py.File("data.h5", "w") as f:
    f.create_dataset("x", data=np.random.rand(100, 100), chunks=(10, 100), compression=1)
    f["text"] = "some text"
    f["x"][::3, 5:50] = 1
    f["x"][[1, 5, 7]]
    f["x"].attrs["unit"] = "m"
open("notes.txt", "w").write("notes")
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    record(folder, sys.executable, "-c", MAKE)
    return folder / "t"


@pytest.mark.parametrize("case", range(10))
def test_damage_is_survived(tmp_path: Path, sound: Path, case: int) -> None:
    seed = random.Random(f"{os.environ['QUARRY_SEED']} damage {case}").randrange(10**9)
    print("seed", seed)
    draw = random.Random(seed)
    for number in range(6):
        trace = tmp_path / str(number)
        shutil.copytree(sound, trace)
        (file,) = trace.glob("*.qtrace")
        data = bytearray(file.read_bytes())
        for _ in range(draw.choice([1, 10, 200])):
            at = draw.randrange(4096 if draw.random() < 0.8 else 0, len(data))
            data[at] = draw.choice([0, 1, 255, draw.randrange(256), data[at] ^ 1])
        file.write_bytes(data[: draw.choice([len(data), len(data), draw.randrange(len(data))])])
        for command in COMMANDS:
            done = subprocess.run(
                [QUARRY, *command, trace], capture_output=True, timeout=60, check=False
            )
            assert done.returncode in {0, 125}, (command, done.stderr[-2000:])
            assert done.returncode == 0 or done.stderr.startswith(b"quarry: ")
