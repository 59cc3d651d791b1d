"""What went wrong in a published tool that also leaves out data, one test for each thing.

| what went wrong there | tested here, or by |
|---|---|
| a dataset opened with H5Dopen2 read as 0 instead of 9 | test_a_c_program_reads_what_was_left_out |
| with two files open, data came from the wrong one | test_carved_missing.py: test_two_files_are_not_mistaken_for_each_other |
| inputs of the same base name overwrote each other | test_carve.py: test_equal_names_in_two_folders_stay_two |
| netCDF variables came back as fill values | test_carve.py: test_netcdf_is_read_as_before |
| references became NULL | test_carve_keeps_references.py: object references, region references, references of the newer kind |
| the order of variables became alphabetical | test_carve_keeps_netcdf.py: order of variables and attributes |
| enum and compound variables vanished | test_carve_keeps_netcdf.py: types of the user |
| one hard-linked dataset became five | test_carve_keeps.py: hard links |
| a dangling link made the program's open fail | test_odd_structure_is_found_by_the_program |
| a cycle of groups never ended | test_odd_structure_is_found_by_the_program |
| a 2-D compound attribute aborted | test_odd_structure_is_found_by_the_program |
| of six parallel processes 1 to 3 datasets were kept | test_six_processes_keep_six_datasets |
| an abort lost all attributes | test_nothing_is_lost_with_a_program_that_dies |
| 20,000 small reads were 200 times slower | test_many_small_reads (that they work; how fast they are is measured in bench/) |
| the original had to be present | test_carved_missing.py: test_without_the_original_it_is_refused_by_name; here, too |
"""

import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import carve, copy_of, refuses, run
from running import clean_environment

from cli import QUARRY, REPOSITORY, quarry, record

HDF5 = REPOSITORY / ".deps/hdf5"

C_PROGRAM = """
#include <hdf5.h>
#include <stdio.h>

int main(int count, char **words) {
    hid_t file = H5Fopen(words[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 2; i < count; ++i) {
        int value = -1;
        hsize_t one = 1, at = 5;
        hid_t data = H5Dopen2(file, words[i], H5P_DEFAULT);
        hid_t space = H5Dget_space(data), memory = H5Screate_simple(1, &one, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
        if (H5Dread(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, &value) < 0) puts("refused");
        else printf("%d\\n", value);
        H5Sclose(memory), H5Sclose(space), H5Dclose(data);
    }
    return H5Fclose(file) < 0;
}
"""


def on_carved(folder: Path, *command: object) -> subprocess.CompletedProcess:
    return quarry("run", "--no-trace", "--carved", "small", "--", *command, cwd=folder)


def test_a_c_program_reads_what_was_left_out(tmp_path: Path) -> None:
    if not (HDF5 / "include/hdf5.h").exists() or not shutil.which("cc"):
        pytest.skip("needs HDF5 and a C compiler")
    (tmp_path / "read.c").write_text(C_PROGRAM)
    linking = ["-I", HDF5 / "include", "-L", HDF5 / "lib", "-lhdf5", f"-Wl,-rpath,{HDF5 / 'lib'}"]
    subprocess.run(["cc", "-o", "read", "read.c", *linking], cwd=tmp_path, check=True)
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        for name, value in (("used", 8), ("unread", 9)):
            f[name] = np.full(20000, value, "i4")
    assert record(tmp_path, "./read", "in.h5", "used").stdout == "8\n"
    carve(tmp_path, "t")
    done = on_carved(tmp_path, "./read", "in.h5", "used", "unread")
    assert done.stdout == "8\n9\n", done.stderr
    # Nor is it 0 where there is no original.
    file.unlink()
    done = on_carved(tmp_path, "./read", "in.h5", "unread", "used")
    assert done.stdout == "refused\n8\n" and "/unread was left out" in done.stderr


def test_odd_structure_is_found_by_the_program(tmp_path: Path) -> None:
    file = tmp_path / "in.h5"
    pairs = np.array([[(1, 2.5), (3, 4.5)]] * 3, [("a", "i4"), ("b", "f8")])
    with h5py.File(file, "w") as f:
        f["used"] = f["group/unread"] = np.arange(20000)
        f["group/root"] = f["/"]
        f["group/dangling"] = h5py.SoftLink("/gone")
        f["group/outside"] = h5py.ExternalLink("gone.h5", "/x")
        f.attrs["pairs"] = f["group/unread"].attrs["pairs"] = pairs
    look = """
import h5py
f = h5py.File("in.h5")
f.visititems_links(lambda name, link: print(name, type(link).__name__))
f.visititems(lambda name, one: print(name, one))
print(f["used"][7], "group/dangling" in f, f.attrs["pairs"], f["group/unread"].attrs["pairs"])
"""
    before = run(tmp_path, look).stdout
    carve(tmp_path, "t")
    with h5py.File(copy_of(file)) as f:
        assert refuses(f["group/unread"])
    for _ in ("with the original", "without it"):
        done = on_carved(tmp_path, sys.executable, "-c", look)
        assert done.stdout == before, done.stderr
        file.unlink(missing_ok=True)


READ_ONE = "import h5py, sys; print(h5py.File('in.h5')[sys.argv[1]][...].sum())"


def test_six_processes_keep_six_datasets(tmp_path: Path) -> None:
    """At the same time, each `quarry run` with the same trace."""
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        for number in range(8):
            f[f"d{number}"] = np.full(20000, number)
    words = [QUARRY, "run", "--trace", "t", "--", sys.executable, "-c", READ_ONE]
    started = [
        subprocess.Popen(
            [*words, f"d{number}"],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(6)
    ]
    for number, process in enumerate(started):
        assert process.communicate() == (b"%d\n" % (number * 20000), b"")
    (fate,) = carve(tmp_path, "t")["files"]
    kept = {one["paths"][0]: one["kept"] for one in fate["datasets"]}
    assert kept == {f"/d{number}": number < 6 for number in range(8)}
    with h5py.File(copy_of(file)) as f:
        assert [int(f[f"d{number}"][0]) for number in range(6)] == list(range(6))
        assert refuses(f["d6"]) and refuses(f["d7"])


def test_six_children_of_one_program_keep_six_datasets(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        for number in range(8):
            f[f"d{number}"] = np.full(20000, number)
    program = """
import multiprocessing, h5py
def read(number):
    with h5py.File("in.h5") as f:
        return int(f[f"d{number}"][0])
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(6) as pool:
        print(pool.map(read, range(6), chunksize=1))
"""
    (tmp_path / "program.py").write_text(program)
    done = record(tmp_path, sys.executable, "program.py")
    assert done.stdout == "[0, 1, 2, 3, 4, 5]\n"
    (fate,) = carve(tmp_path, "t")["files"]
    kept = {one["paths"][0]: one["kept"] for one in fate["datasets"]}
    assert kept == {f"/d{number}": number < 6 for number in range(8)}


@pytest.mark.parametrize("death", ["SIGKILL", "SIGABRT", "SIGSEGV", "_exit"])
def test_nothing_is_lost_with_a_program_that_dies(tmp_path: Path, death: str) -> None:
    file = tmp_path / "in.h5"
    with h5py.File(file, "w") as f:
        for name in ("one", "two", "three"):
            f[name] = np.arange(20000)
            f[name].attrs["units"] = f"of {name}"
        f.attrs["title"] = "all of it"
    end = "os._exit(3)" if death == "_exit" else f"os.kill(os.getpid(), signal.{death})"
    program = f"""
import h5py, os, resource, signal
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
f = h5py.File("in.h5")
f.attrs["title"], f["one"][...], f["two"][5], f["two"].attrs["units"]
{end}
"""
    done = quarry("run", "--trace", "t", "--", sys.executable, "-c", program, cwd=tmp_path)
    assert done.returncode != 0
    carve(tmp_path, "t")
    file.rename(tmp_path / "aside.h5")
    with h5py.File(copy_of(file)) as f:
        assert (f["one"][...] == np.arange(20000)).all() and f["two"][5] == 5
        assert refuses(f["three"])
        assert f.attrs["title"] == "all of it"
        assert [f[name].attrs["units"] for name in f] == ["of one", "of three", "of two"]


def test_many_small_reads(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = np.arange(20000)
        f["unread"] = np.arange(20000) * 3
    run(tmp_path, "import h5py; h5py.File('in.h5')['used'][0]")
    carve(tmp_path, "t")
    program = """
import h5py, sys
data = h5py.File("in.h5")[sys.argv[1]]
print(sum(int(data[at]) for at in range(20000)))
"""
    for name, factor in (("used", 1), ("unread", 3)):
        done = on_carved(tmp_path, sys.executable, "-c", program, name)
        assert done.stdout == f"{factor * 19999 * 10000}\n", done.stderr
