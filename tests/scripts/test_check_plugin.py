"""Builds small libraries, good and bad ones, and sees that scripts/check-plugin tells them apart."""

import subprocess
import sys
from pathlib import Path

CHECK = Path(__file__).parents[2] / "scripts/check-plugin"
DOORS = "int H5PLget_plugin_type(void) { return 0; } int H5PLget_plugin_info(void) { return 0; }"


def check(folder, code, *options):
    source, library = folder / "plugin.c", folder / "plugin.so"
    source.write_text(code)
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", source, "-o", library, *options], check=True)
    done = subprocess.run(
        [sys.executable, CHECK, library], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_good_plugin(tmp_path):
    assert check(tmp_path, DOORS)[0] == 0


def test_undefined_hdf5_symbol(tmp_path):
    status, output = check(
        tmp_path, DOORS + "int H5open(void); static void f(void) { H5open(); } void* p = f;"
    )
    assert status == 1
    assert "H5open is undefined" in output


def test_exported_symbol(tmp_path):
    status, output = check(tmp_path, DOORS + "int open_file(void) { return 0; }")
    assert status == 1
    assert "open_file is exported" in output


def test_missing_door(tmp_path):
    status, output = check(tmp_path, "int H5PLget_plugin_type(void) { return 0; }")
    assert status == 1
    assert "H5PLget_plugin_info is not exported" in output


def test_linked_hdf5(tmp_path):
    library = tmp_path / "libhdf5.so"
    subprocess.run(["gcc", "-shared", "-o", library, "-x", "c", "/dev/null"], check=True)
    status, output = check(tmp_path, DOORS, "-Wl,--no-as-needed", library)
    assert status == 1
    assert "is linked" in output
