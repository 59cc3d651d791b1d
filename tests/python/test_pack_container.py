"""What a container from an archive has of the programs of a run, besides its data."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest

from cli import REPOSITORY, quarry, record

VENV_PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"
PLAIN_PATH = "/usr/bin:/bin"

READS = "import h5py, sys; h5py.File('out.h5', 'w')['x'] = h5py.File('in.h5')['x'][3]"


def write_input(folder: Path) -> None:
    with h5py.File(folder / "in.h5", "w") as f:
        f["x"] = np.arange(90_000.0)


def packed(folder: Path, *options: object, **more) -> dict:
    done = quarry("pack", "t", "-o", "app.tar.zst", *options, cwd=folder, **more)
    assert done.returncode == 0, done.stderr
    done = quarry("unpack", "app.tar.zst", "-C", "new", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "new/pack.json").read_text())


def test_a_python_is_found_by_its_path_though_it_was_started_by_its_name(tmp_path: Path) -> None:
    """As where an environment was active, and is not when the run is packed or repeated."""
    write_input(tmp_path)
    (tmp_path / "script.py").write_text(READS)
    name = Path(sys.executable).name
    record(tmp_path, name, "script.py", env={"PATH": VENV_PATH})
    pack = packed(tmp_path, env={"PATH": PLAIN_PATH})
    (python,) = pack["versions"]["python"]
    assert python["interpreter"] == sys.executable and python["prefix"] == sys.prefix
    assert ["h5py", h5py.__version__, True] in python["distributions"]
    (tmp_path / "out.h5").unlink()
    subprocess.run(["sh", "new/run.sh"], cwd=tmp_path, env={"PATH": PLAIN_PATH}, check=True)
    (tmp_path / "out.h5").unlink()
    again = ("unpack", "app.tar.zst", "-C", "again", "--run")
    done = quarry(*again, cwd=tmp_path, env={"PATH": PLAIN_PATH})
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_shell_finds_the_python_that_its_run_has_used(tmp_path: Path) -> None:
    write_input(tmp_path)
    (tmp_path / "script.py").write_text(READS)
    (tmp_path / "all.sh").write_text(f"cat note.txt; {Path(sys.executable).name} script.py\n")
    (tmp_path / "note.txt").write_text("first\n")
    record(tmp_path, "bash", "all.sh", env={"PATH": VENV_PATH})
    packed(tmp_path, env={"PATH": PLAIN_PATH})
    (tmp_path / "out.h5").unlink()
    subprocess.run(["sh", "new/run.sh"], cwd=tmp_path, env={"PATH": PLAIN_PATH}, check=True)
    assert (tmp_path / "out.h5").exists()


SOURCE = """
#include <hdf5.h>
#include <stdio.h>
int main(void) {
    double x[90000];
    hid_t file = H5Fopen("in.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, "x", H5P_DEFAULT);
    if (H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0) return 1;
    printf("%g\\n", x[3]);
    H5Dclose(data);
    return H5Fclose(file) < 0;
}
"""


def compiled(folder: Path) -> Path:
    """With the HDF5 that Quarry was built with, where that lies."""
    lines = (REPOSITORY / ".deps/hdf5.env").read_text().splitlines()
    found = dict(line.split("=", 1) for line in lines)
    include, library = (found[f"HDF5_{part}"].strip('"') for part in ("INCLUDE", "LIB"))
    (folder / "program.c").write_text(SOURCE)
    words = ["cc", "program.c", "-o", "program", f"-I{include}", f"-L{library}", "-lhdf5"]
    subprocess.run([*words, f"-Wl,-rpath,{library}"], cwd=folder, check=True)
    return Path(library)


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="packages are known to dpkg only")
def test_a_compiled_program_comes_with_what_it_needs(tmp_path: Path) -> None:
    write_input(tmp_path)
    place = compiled(tmp_path)
    record(tmp_path, "./program")
    pack = packed(tmp_path)
    names = {one["name"] for one in pack["versions"]["packages"]}
    assert "libc6" in names and all(one["version"] for one in pack["versions"]["packages"])
    container = (tmp_path / "new/Containerfile").read_text()
    (install,) = [line for line in container.splitlines() if "apt-get install" in line]
    assert all(f" '{name}'" in install or f" {name}" in install for name in names)
    files = {one["original"] for one in pack["programs"]}
    assert str(tmp_path / "program") in files
    # HDF5 belongs to a package, or is brought along.
    libraries = [path for path in files if "libhdf5" in path]
    assert all(Path(path).is_relative_to(place) for path in libraries)
    assert len(libraries) == (0 if any(name.startswith("libhdf5") for name in names) else 1)


def put(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, place)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may make another root")
@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="packages are known to dpkg only")
def test_a_compiled_program_runs_where_only_that_is(tmp_path: Path) -> None:
    """A root with files of the named packages and the archive's, as a container has them."""
    write_input(tmp_path)
    compiled(tmp_path)
    record(tmp_path, "./program")
    pack = packed(tmp_path)
    root = tmp_path / "root"
    for program in ("/bin/sh", "/bin/mkdir"):  # as every image has them
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        for file in [program, *re.findall(r"/\S+", listed.stdout)]:
            put(Path(file), root / file[1:])
    for package in pack["versions"]["packages"]:
        words = ["dpkg-query", "--listfiles", package["name"]]
        listed = subprocess.run(words, capture_output=True, text=True, check=True)
        for file in map(Path, listed.stdout.splitlines()):
            if ".so" in file.name and file.is_file():
                put(file, root / file.relative_to("/"))
    for part in (tmp_path / "new/carved", tmp_path / "new/programs"):
        for file in part.rglob("*"):
            if file.is_file():
                put(file, root / file.relative_to(part))
    put(tmp_path / "new/run.sh", root / "run.sh")
    done = subprocess.run(
        ["chroot", root, "/bin/sh", "/run.sh"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_what_netcdf_cannot_read_in_a_container_is_told(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as d:
        d.createDimension("x", 100_000)
        d.createVariable("v", "f8", ("x",), chunksizes=(10_000,))[:] = np.arange(100_000.0)
    record(tmp_path, sys.executable, "-c", "import netCDF4; netCDF4.Dataset('in.nc')['v'][5]")
    options = ("--granularity", "chunk", "--keep-below", "0")
    done = quarry("pack", "t", "-o", "app.tar.zst", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "netCDF does not" in done.stderr
    done = quarry("pack", "t", "-o", "app.tar.zst", cwd=tmp_path)
    assert done.returncode == 0 and "netCDF does not" not in done.stderr


SYSTEM = Path("/usr/lib/python3/dist-packages")


@pytest.mark.skipif(
    not shutil.which("dpkg-query") or not any(SYSTEM.glob("*-info")),
    reason="needs packages of Python by Debian",
)
def test_packages_that_a_python_has_of_the_system_are_installed_as_such(tmp_path: Path) -> None:
    """pip knows not all of them, as python-apt."""
    work = tmp_path / "work"
    work.mkdir()
    write_input(work)
    options = ["--system-site-packages", "--without-pip"]
    subprocess.run(["/usr/bin/python3", "-m", "venv", *options, work / "env"], check=True)
    (work / "show.py").write_text("print(open('text').read())")
    (work / "text").write_text("x")
    (work / "script.py").write_text(READS)
    record(work, "sh", "-c", f"{sys.executable} script.py; env/bin/python show.py > out")
    packed(work)
    texts = {file.name: file.read_text() for file in (work / "new").iterdir() if file.is_file()}
    assert f"venv --system-site-packages {work}/env " in texts["Containerfile"].replace("'", "")
    names = {re.split(r"-|\.egg", one.name)[0].lower() for one in SYSTEM.glob("*-info")}
    lists = "".join(text for name, text in texts.items() if name.startswith("requirements-"))
    commented = {
        line.removeprefix("# from elsewhere: ").partition("==")[0].replace("-", "_").lower()
        for line in lists.splitlines()
        if line.startswith("#")
    }
    assert names <= {name.replace("-", "_") for name in commented}
    owner = subprocess.run(
        ["dpkg-query", "--search", next(SYSTEM.glob("*-info"))], capture_output=True, check=True
    ).stdout.decode()
    assert owner.partition(":")[0] in texts["Containerfile"]
