"""`quarry run`: the program is the user's, in every way that can be seen."""

import os
import pty
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running import clean_environment, read_witnesses

from cli import QUARRY, make_program, quarry

WRITE_AND_READ = """
import h5py, sys
with h5py.File(sys.argv[1], "w") as file:
    file["x"] = range(100)
with h5py.File(sys.argv[1]) as file:
    print(file["x"][...].sum())
"""


def test_runs_a_script_under_the_connector(tmp_path: Path) -> None:
    done = quarry(
        "run",
        "--witness",
        tmp_path / "proof",
        "--",
        sys.executable,
        "-c",
        WRITE_AND_READ,
        tmp_path / "x.h5",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "4950\n", "")
    (witness,) = read_witnesses(tmp_path / "proof")
    assert witness.reached == {"object-layer", "byte-layer"}


def test_leaves_the_byte_layer_out_on_request(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    quarry(
        "run",
        "--no-bytes",
        "--witness",
        proof,
        "--",
        sys.executable,
        "-c",
        WRITE_AND_READ,
        tmp_path / "x.h5",
    )
    (witness,) = read_witnesses(proof)
    assert witness.reached == {"object-layer"}


def test_stands_on_the_connector_that_the_user_has_chosen(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    command = (
        "run",
        "--witness",
        proof,
        "--",
        sys.executable,
        "-c",
        WRITE_AND_READ,
        tmp_path / "x.h5",
    )
    done = quarry(*command, env={"HDF5_VOL_CONNECTOR": "pass_through under_vol=0;under_info={}"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "4950\n", "")
    assert read_witnesses(proof)


def test_works_inside_itself(tmp_path: Path) -> None:
    inner = [QUARRY, "run", "--", sys.executable, "-c", WRITE_AND_READ, tmp_path / "x.h5"]
    done = quarry("run", "--witness", tmp_path / "proof", "--", *inner)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4950\n", "")
    assert len(read_witnesses(tmp_path / "proof")) == 1, "the outer options stay"


@pytest.mark.parametrize("code", [0, 1, 2, 77, 125, 126, 127, 255])
def test_passes_the_exit_code_on(code: int) -> None:
    assert quarry("run", "--", "sh", "-c", f"exit {code}").returncode == code


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGSEGV", "SIGPIPE", "SIGINT"])
def test_dies_of_the_signal_that_the_program_dies_of(name: str) -> None:
    number = signal.Signals[name]
    assert quarry("run", "--", "sh", "-c", f"kill -{number.value} $$").returncode == -number


def test_is_the_process_that_gets_the_signals() -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: exit(9)); print('ready', flush=True); time.sleep(60)"
    command = [QUARRY, "run", "--", sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=clean_environment()
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(timeout=20) == 9


def test_leaves_no_process_in_between_where_nothing_is_recorded() -> None:
    command = [QUARRY, "run", "--no-trace", "--", "sh", "-c", "echo $$"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=clean_environment()
    ) as process:
        assert int(process.stdout.read()) == process.pid


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP])
def test_passes_on_signals_that_are_sent_to_it_alone(
    number: signal.Signals, tmp_path: Path
) -> None:
    # Whoever started the tests may ignore some signals (nohup, a job in the background).
    command = ["env", "--default-signal", QUARRY, "run", "--", "sh", "-c"]
    command += ["ulimit -c 0; echo ready; exec sleep 60"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=tmp_path, env=clean_environment(), process_group=0
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(timeout=20) == -number


def test_touches_neither_input_nor_output() -> None:
    data = bytes(range(256)) * 4096
    for options in ((), ("--no-trace",)):
        done = quarry("run", "--quiet", *options, "--", "cat", input=data, text=False)
        assert done.stdout == data
        assert done.stderr == b""


def test_keeps_the_terminal() -> None:
    leader, follower = pty.openpty()
    done = quarry("run", "--", "test", "-t", "0", stdin=follower)
    os.close(leader)
    os.close(follower)
    assert done.returncode == 0


def test_gives_arguments_as_they_are() -> None:
    words = ["", "a b", "--", "--help", "-x", "*", "'\"$HOME\n"]
    code = "import sys; print(sys.argv[1:])"
    assert quarry("run", "--", sys.executable, "-c", code, *words).stdout == f"{words}\n"
    assert quarry("run", sys.executable, "-c", code, *words).stdout == f"{words}\n", (
        "`--` may be left out"
    )


def test_says_what_shells_say_about_commands_that_do_not_run(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\n")
    missing = quarry("run", "--", "no-such-program")
    assert missing.returncode == 127
    assert "no-such-program: command not found" in missing.stderr
    assert quarry("run", "--", tmp_path / "none").returncode == 127
    denied = quarry("run", "--", plain)
    assert denied.returncode == 126
    assert str(plain) in denied.stderr
    plain.write_text("#!/no/such/interpreter\n")
    plain.chmod(0o755)
    assert quarry("run", "--", plain).returncode == 126


@pytest.mark.parametrize("version", ["1.8.16", "1.10.8", "1.12.2", "1.13.3"])
def test_steps_aside_for_an_old_hdf5(tmp_path: Path, version: str) -> None:
    program = make_program(tmp_path, version, "shared")
    done = quarry("run", "--", program)
    assert (done.returncode, done.stdout) == (0, "none\n")
    assert f"HDF5 {version}" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert quarry("run", "--quiet", "--", program).stderr == ""
    required = quarry("run", "--require", "--", program)
    assert (required.returncode, required.stdout) == (125, "")


def test_takes_an_outer_quarry_out_when_it_steps_aside(tmp_path: Path) -> None:
    program = make_program(tmp_path, "1.12.2", "shared")
    assert quarry("run", "--", QUARRY, "run", "--", program).stdout == "none\n"


def test_steps_aside_for_a_static_hdf5_that_hides_its_functions(tmp_path: Path) -> None:
    done = quarry("run", "--", make_program(tmp_path, "1.14.5", "hidden"))
    assert (done.returncode, done.stdout) == (0, "none\n")
    assert "linked into the program" in done.stderr


def test_takes_a_static_hdf5_that_shows_its_functions(tmp_path: Path) -> None:
    done = quarry("run", "--no-trace", "--", make_program(tmp_path, "1.14.5", "exported"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "quarry bytes=on\n", "")


def test_steps_aside_without_its_plugin(tmp_path: Path) -> None:
    alone = tmp_path / "bin/quarry"
    alone.parent.mkdir()
    alone.write_bytes(QUARRY.read_bytes())
    alone.chmod(0o755)
    plugins = tmp_path / "lib/quarry"
    plugins.mkdir(parents=True)
    (plugins / "hdf5").symlink_to(QUARRY.parents[1] / "lib/quarry/hdf5")  # where set-up built one
    command = [alone, "run", "--", "printenv", "HDF5_VOL_CONNECTOR"]
    done = subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert "there is no plugin at" in done.stderr
    (plugins / "libquarry_connector.so").write_text("not a library")
    done = subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert "invalid ELF header" in done.stderr or "file too short" in done.stderr


def test_steps_aside_where_plugins_are_forbidden(tmp_path: Path) -> None:
    command = ("run", "--", sys.executable, "-c", WRITE_AND_READ, tmp_path / "x.h5")
    done = quarry(*command, env={"HDF5_PLUGIN_PRELOAD": "::"})
    assert (done.returncode, done.stdout) == (0, "4950\n")
    assert "HDF5_PLUGIN_PRELOAD" in done.stderr


def test_warns_of_a_cleared_environment() -> None:
    done = quarry("run", "--", "env", "-i", "/bin/sh", "-c", "echo ran")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "env -i clears the environment" in done.stderr


def test_appends_to_the_plugin_path() -> None:
    show = ("run", "--", "printenv", "HDF5_PLUGIN_PATH")
    assert quarry(*show, env={"HDF5_PLUGIN_PATH": "/mine:/other"}).stdout.startswith(
        "/mine:/other:/"
    )


@pytest.mark.parametrize("recording", (["--trace", "t"], ["--no-trace"]))
@pytest.mark.parametrize(
    "change", ("['HDF5_PLUGIN_PATH'] = '/mine'", ".pop('HDF5_PLUGIN_PATH', None)")
)
@pytest.mark.parametrize("package", ("h5py", "netCDF4"))
def test_programs_may_set_the_plugin_path_themselves(
    tmp_path: Path, recording: list[str], change: str, package: str
) -> None:
    """Where HDF5 looks, its own directories and those of packages included, is as it is without."""
    code = f"""
import os
os.environ{change}
import {package}, h5py
with h5py.File("x.h5", "w") as f: f["x"] = [4950]
print(f, [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())])
"""
    plain = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    done = quarry("run", *recording, "--", sys.executable, "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain.stdout


def test_keeps_the_filters_that_netcdf4_brings(tmp_path: Path) -> None:
    code = """
import netCDF4, sys
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("x", 10)
    file.createVariable("v", "i4", ("x",), compression="zstd")[:] = range(10)
with netCDF4.Dataset(sys.argv[1]) as file:
    print(file["v"][:].sum())
"""
    words = [sys.executable, "-c", code, str(tmp_path / "x.nc")]
    without = subprocess.run(
        words, env=clean_environment(), capture_output=True, text=True, check=False
    )
    if without.returncode != 0:
        pytest.skip("this netCDF4 has no zstd")
    done = quarry("run", "--", *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, without.stdout, without.stderr)


def test_takes_milliseconds() -> None:
    def processor_time(*command: object) -> float:
        """Of the fastest of several runs; by the clock it depends on what else the machine does."""
        times = []
        for _ in range(7):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*map(str, command)], env=clean_environment(), check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    python = (sys.executable, "-S", "-c", "0")
    assert processor_time(QUARRY, "run", "--", *python) - processor_time(*python) < 0.05


def test_loads_only_what_every_program_needs() -> None:
    """Each library holds up the start of every program that is run."""
    listed = subprocess.run(
        ["readelf", "-d", QUARRY], capture_output=True, text=True, check=True
    ).stdout
    needed = [
        line.split("[")[1].split(".so")[0] for line in listed.splitlines() if "NEEDED" in line
    ]
    assert set(needed) <= {
        "libc",
        "libm",
        "libhdf5",
        "libhdf5_serial",
        "libsqlite3",
        "ld-linux-x86-64",
    }
