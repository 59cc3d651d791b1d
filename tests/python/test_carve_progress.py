"""What `quarry carve` and its like show on a terminal while they work."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import copy_of, run
from running import clean_environment

from cli import QUARRY


def shown(folder: Path, kind: str, *words: str) -> tuple[bytes, list[bytes]]:
    """What goes to the output, and one after the other to a terminal of this kind."""
    leader, follower = pty.openpty()
    env = clean_environment() | {"TERM": kind}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [QUARRY, *words], cwd=folder, stdout=pipe, stderr=follower, env=env
    ) as process:
        os.close(follower)
        terminal = b""
        with suppress(OSError):  # once nobody writes to it any more
            while some := os.read(leader, 65536):
                terminal += some
        output = process.stdout.read()
    os.close(leader)
    assert process.returncode == 0
    return output, terminal.split(b"\r\x1b[K")


def bytes_of(steps: list[bytes], what: bytes) -> list[bytes]:
    return [step.removeprefix(what + b": ") for step in steps if step.startswith(what + b": ")]


CARVE = ("carve", "t", "-o", "small")


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(6):
        with h5py.File(tmp_path / f"in{number}.h5", "w") as f:
            f["used"] = np.random.default_rng(number).random(2_000_000)
    run(tmp_path, "import h5py; print([h5py.File(f'in{n}.h5')['used'][0] for n in range(6)])")
    return tmp_path


def test_carving_and_verifying(many: Path) -> None:
    output, steps = shown(many, "xterm", *CARVE)
    assert b"carving: " not in output and b"\x1b" not in output
    assert steps[1] == b"reading t ..."
    carving, verifying = bytes_of(steps, b"carving"), bytes_of(steps, b"verifying")
    assert carving[-1] == b"96 MB of 96 MB ..."
    assert len(verifying) > 6 and verifying[0] == b"0 B of 96 MB ..."
    assert steps[-2] == b"verifying: 96 MB of 96 MB ..."
    assert steps[-1] == b"", "the line is empty again"
    assert shown(many, "dumb", *CARVE) == (output, [b""])
    assert shown(many, "xterm", *CARVE, "--json")[0].startswith(b"{")


def test_packing(many: Path) -> None:
    _, steps = shown(many, "xterm", "pack", "t", "-o", "app.tar.zst")
    for what in (b"carving", b"verifying", b"packing"):
        assert bytes_of(steps, what), what


def test_without_verifying(many: Path) -> None:
    _, steps = shown(many, "xterm", *CARVE, "--no-verify")
    assert bytes_of(steps, b"carving") and not bytes_of(steps, b"verifying")


def test_copying_a_file_as_it_is(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["data"] = np.zeros(200_000_000, "u1")
    run(tmp_path, "import h5py; h5py.File('in.h5'); open('in.h5', 'rb').read()")
    output, steps = shown(tmp_path, "xterm", *CARVE)
    assert b"Copied whole" in output
    carving = bytes_of(steps, b"carving")
    assert carving[0] != carving[-1] == b"200 MB of 200 MB ..."


@pytest.mark.parametrize("granularity", ["object", "chunk"])
def test_one_large_dataset(tmp_path: Path, granularity: str) -> None:
    chunks = (1_000_000,) if granularity == "chunk" else None
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f.create_dataset("data", data=np.ones(400_000_000, "u1"), chunks=chunks)
    run(tmp_path, "import h5py; h5py.File('in.h5')['data'][::1_000_000]")
    _, steps = shown(tmp_path, "xterm", *CARVE, "--no-verify", "--granularity", granularity)
    carving = bytes_of(steps, b"carving")
    assert len(carving) > 1 and carving[-1] == b"400 MB of 400 MB ..."


def test_growing(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"], f["other"] = np.random.default_rng(1).random((2, 1_000_000))
    run(tmp_path, "import h5py; h5py.File('in.h5')['used'][0]")
    shown(tmp_path, "dumb", *CARVE)
    program = "import h5py; h5py.File('in.h5')['other'][0]"
    command = ("--", sys.executable, "-c", program)
    _, steps = shown(
        tmp_path, "xterm", "run", "--no-trace", "--carved", "small", "--grow", *command
    )
    assert bytes_of(steps, b"carving again")[-1] == b"16 MB of 16 MB ..."
    assert bytes_of(steps, b"verifying")[-1] == b"16 MB of 16 MB ..."
    with h5py.File(copy_of(tmp_path / "in.h5")) as f:
        assert f["other"][0] == h5py.File(tmp_path / "in.h5")["other"][0]
