"""`quarry doctor` tells the truth."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

from running import clean_environment

from cli import QUARRY, make_program, quarry


def checks(*words: object, env: dict[str, str] | None = None) -> dict[str, dict]:
    """The checks of all groups, by the first word of their subject."""
    found = json.loads(quarry("doctor", "--json", *words, env=env).stdout)
    return {
        check["subject"].split()[0]: check for group in found["groups"] for check in group["checks"]
    }


def test_proves_the_packages_of_a_python() -> None:
    done = quarry("doctor", "--json", "--", sys.executable, "script.py")
    answer = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert answer["healthy"]
    found = checks("--", sys.executable)
    assert found["plugin"]["health"] == "works"
    for package in ("h5py", "netCDF4"):
        assert found[package]["health"] == "works"
        assert found[package]["hdf5"] in ("1.14.6", "2.0.0") or found[package]["hdf5"] >= "1.14"
        assert Path(found[package]["library"]).exists()
    assert found["all"]["health"] == "works", "both libraries in one process"


def test_text_ends_with_the_verdict_and_what_to_type() -> None:
    done = quarry("doctor", "--", sys.executable, "script.py")
    last = done.stdout.splitlines()[-1]
    assert (
        last
        == f"Everything found here works under Quarry. Next: quarry run -- {sys.executable} script.py"
    )
    assert "\x1b" not in done.stdout + done.stderr, "no colours, no progress outside a terminal"


def test_is_plain_ascii_where_the_locale_is() -> None:
    assert quarry("doctor", "--", "ls", env={"LC_ALL": "C"}).stdout.isascii()


def test_explains_an_old_hdf5(tmp_path: Path) -> None:
    program = make_program(tmp_path, "1.10.8", "shared")
    check = checks("--", program)["program"]
    assert check["health"] == "fails"
    assert quarry("doctor", "--", program).returncode == 1


def test_explains_static_linking(tmp_path: Path) -> None:
    check = checks("--", make_program(tmp_path, "1.14.5", "hidden"))["program"]
    assert check["health"] == "fails"
    assert "linked into the program" in check["detail"]


def test_explains_a_missing_library(tmp_path: Path) -> None:
    program = make_program(tmp_path, "1.14.5", "shared")
    (tmp_path / "libhdf5.so").unlink()
    check = checks("--", program)["program"]
    assert check["health"] == "fails"
    assert "needs libhdf5.so" in check["detail"]


def test_explains_a_cleared_environment() -> None:
    check = checks("--", "sudo", "-u", "nobody", "true")["sudo"]
    assert check["health"] == "fails"
    assert "clears the environment" in check["detail"]


def test_explains_a_command_that_is_not_there() -> None:
    check = checks("--", "no-such-program")["no-such-program"]
    assert check["health"] == "fails"


def test_notices_variables_that_matter() -> None:
    found = checks(
        "--", "ls", env={"HDF5_VOL_CONNECTOR": "pass_through x", "HDF5_PLUGIN_PATH": "/no/where"}
    )
    assert "Quarry stands on it" in found["HDF5_VOL_CONNECTOR"]["detail"]
    assert "/no/where" in found["HDF5_PLUGIN_PATH"]["detail"]
    found = checks("--", "ls", env={"HDF5_PLUGIN_PRELOAD": "::"})
    assert found["HDF5_PLUGIN_PRELOAD"]["health"] == "fails"


def test_says_how_to_get_hdf5_where_there_is_none(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    done = quarry("doctor", "--", python)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("No HDF5 was found")
    assert f"{python} -m pip install h5py" in done.stdout


def test_reports_a_package_that_is_broken_anyway(tmp_path: Path) -> None:
    (tmp_path / "h5py").mkdir()
    (tmp_path / "h5py/__init__.py").write_text("raise ImportError('broken on purpose')")
    check = checks("--", sys.executable, env={"PYTHONPATH": str(tmp_path)})["h5py"]
    assert check["health"] == "fails"
    assert "even without Quarry" in check["detail"]
    assert "broken on purpose" in check["detail"]


def test_works_where_quarry_is_already_set() -> None:
    outer = quarry("run", "--", QUARRY, "doctor", "--", sys.executable)
    assert outer.returncode == 0, outer.stdout


def test_shows_progress_and_colours_on_a_terminal() -> None:
    leader, follower = pty.openpty()
    env = clean_environment() | {"TERM": "xterm"}
    with subprocess.Popen(
        [QUARRY, "doctor", "--", "ls"], stdout=follower, stderr=follower, env=env
    ):
        os.close(follower)
    output = os.read(leader, 65536)
    os.close(leader)
    assert b"\x1b[1m" in output


def test_can_be_interrupted_and_leaves_nothing(tmp_path: Path) -> None:
    command = [QUARRY, "doctor", "--", sys.executable]
    env = clean_environment() | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
        while not list(tmp_path.iterdir()):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == -signal.SIGINT
    assert not list(tmp_path.iterdir())
