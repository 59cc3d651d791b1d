"""`quarry run --carved` several times at once, inside itself, and killed: no run takes anything from another."""

import os
import random
import signal
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from carved_world import READ, World, carve_again, on_the_other

from cli import QUARRY


def test_a_list_that_is_left_is_worked_off_by_the_next_run(world: World) -> None:
    original = world.data / "gone/in.h5"
    world.carve(original)
    before = world.tree()
    with world.started("echo ready; exec sleep 60") as (process, _):
        process.kill()
    assert stat.S_IMODE(original.stat().st_mode) == 0, "nobody takes it for data"
    assert original.stat().st_size == 0
    assert world.run("true").returncode == 0
    assert world.tree() == before


def test_the_first_of_two_runs_to_end_takes_nothing_from_the_other(world: World) -> None:
    first, second = world.data / "gone/in.h5", world.data / "gone/other.h5"
    world.carve(first, second)
    before = world.tree()
    wait = f'echo ready; read line; exec {world.python} -c "{READ}" {first}'
    with world.started(wait) as (process, _):
        assert world.read(second) == "carved"
        assert world.tree() != before
        output, _ = process.communicate("go on\n", timeout=60)
        assert output == "carved\n"
    assert world.tree() == before


@pytest.mark.slow
def test_many_runs_at_once_of_which_some_are_killed(world: World) -> None:
    names = ["a b/in.h5", "new\nline/in.h5", "deep/er/in.h5", "in.h5"]
    world.carve(*(world.data / name for name in names))
    before = world.tree()
    code = (
        "import sys, time\nfor _ in range(20):\n    [open(p, 'rb').read()[1] for p in sys.argv[1:]]"
    )
    command = world.command(world.python, "-c", code + "\n    time.sleep(0.01)", *world.originals)
    chance = random.Random(int(os.environ["QUARRY_SEED"]))

    def one(is_killed: bool) -> int:
        with subprocess.Popen(command, env=world.environment(), cwd=world.folder) as process:
            if is_killed:
                time.sleep(chance.random() / 2)
                process.kill()
            return process.wait(timeout=60)

    with ThreadPoolExecutor(6) as pool:
        ends = list(pool.map(one, [chance.random() < 0.2 for _ in range(100)]))
    assert set(ends) <= {0, -signal.SIGKILL} and 0 in ends
    assert world.run("true").returncode == 0
    assert world.tree() == before


def test_another_carved_directory_waits_its_turn(world: World) -> None:
    original = world.data / "in.h5"
    world.carve(original)
    carve_again(world)
    with world.started("echo ready; read line") as (process, _):
        again = on_the_other(world, "true")
        done = subprocess.run(
            again, env=world.environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 125 and f"{original} stands there for another" in done.stderr
        process.communicate("\n", timeout=60)
    assert not original.exists()


def test_the_placeholder_of_another_carved_directory_stays(world: World) -> None:
    """Also where a run that was killed had made one there, which the user has removed."""
    original = world.data / "in.h5"
    world.carve(original)
    carve_again(world)
    with world.started("echo ready; exec sleep 60") as (process, _):
        process.kill()
    original.unlink()
    look = f'echo ready; read line; exec {world.python} -c "{READ}" {original}'
    with subprocess.Popen(
        on_the_other(world, "sh", "-c", look),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=world.environment(),
    ) as process:
        assert process.stdout.readline() == "ready\n"
        done = world.run("true")
        assert done.returncode == 125 and "stands there for another" in done.stderr
        assert process.communicate("go on\n", timeout=60)[0] == "carved\n"
    assert not original.exists()


def test_runs_on_two_carved_directories_at_once(world: World) -> None:
    """Which of them has the place is open, but one has it, to its end."""
    world.carve(*(world.data / f"{name}.h5" for name in "cab"))
    carve_again(world)
    before = world.tree()
    look = f"ls {world.data}; sleep 0.1; exec cat {' '.join(world.originals)}"

    def one(command: list[str]) -> subprocess.CompletedProcess:
        return subprocess.run(command, env=world.environment(), capture_output=True, check=False)

    commands = [world.command("sh", "-c", look), on_the_other(world, "sh", "-c", look)]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(5):
            ends = list(pool.map(one, commands))
            assert 0 in (end.returncode for end in ends), ends
            assert all(end.returncode == 0 or not end.stdout for end in ends), ends
    assert world.tree() == before


def test_a_program_dies_with_its_launcher(world: World) -> None:
    world.carve(world.data / "in.h5")
    with world.started("echo $$; exec sleep 60") as (process, line):
        program = int(line)
        process.kill()
    for _ in range(100):
        if not Path(f"/proc/{program}").exists():
            break
        time.sleep(0.05)
    assert not Path(f"/proc/{program}").exists()
    world.run("true")


def test_works_inside_itself(world: World) -> None:
    original, other = world.original(), world.data / "gone/in.h5"
    world.carve(original, other, world.top / "in.h5")
    before = world.tree()
    inner = [QUARRY, "run", "--no-trace", "--carved", world.carved, "--"]
    for path in (original, other, world.top / "in.h5"):
        done = world.run(*inner, world.python, "-c", READ, path)
        assert done.stdout == "carved\n", done.stderr
    tree = f"{world.carved}/originals/tree{original}"
    done = world.run(*inner, world.python, "-c", READ, tree)
    assert done.stdout == "original\n", done.stderr
    assert world.tree() == before


def test_not_inside_another_carved_directory(world: World) -> None:
    """The outer one would not be served any more, though its files are seen."""
    original = world.original()
    world.carve(original)
    carve_again(world)
    inner = [QUARRY, "run", "--no-trace", "--carved", f"{world.carved}2", "--"]
    done = world.run(*inner, world.python, "-c", READ, original)
    assert done.returncode == 125 and done.stdout == ""
    assert f"runs on the carved files in {world.carved} already" in done.stderr
