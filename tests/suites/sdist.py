"""Fetches a source distribution through pip, without building anything."""

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# pip asks the build backend for metadata even when it shall only download, and that of netCDF4 looks
# for the headers of HDF5 and netCDF first. This backend answers from PKG-INFO, where a source
# distribution has its metadata ready.
BACKEND = """
import email, os, shutil

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        info = email.message_from_file(file)
    folder = f"{info['Name']}-{info['Version']}.dist-info"
    os.mkdir(os.path.join(metadata_directory, folder))
    shutil.copy("PKG-INFO", os.path.join(metadata_directory, folder, "METADATA"))
    return folder
"""


def unpacked_sdist(package: str, cache: Path) -> Path:
    """The unpacked source distribution of `package`, in the version that is installed."""
    version = importlib.metadata.version(package)
    folder = cache / f"{package}-{version}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            _unpack(_download(package, version, Path(scratch)), Path(scratch) / "unpacked").rename(
                folder
            )
    return folder


def _download(package: str, version: str, scratch: Path) -> Path:
    backend = scratch / "backend" / "setuptools"
    backend.mkdir(parents=True)
    (backend / "__init__.py").touch()
    (backend / "build_meta.py").write_text(BACKEND)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-build-isolation"]
    command += ["--no-binary", package, "--dest", str(scratch), f"{package}=={version}"]
    environment = os.environ | {"PYTHONPATH": str(backend.parent)}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    archives = list(scratch.glob("*.tar.gz"))
    if done.returncode != 0 or len(archives) != 1:
        raise RuntimeError(
            f"cannot download the source distribution of {package} {version} "
            f"(needs the package index once, later runs do not):\n{done.stdout}{done.stderr}"
        )
    return archives[0]


def _unpack(archive: Path, into: Path) -> Path:
    # Not tarfile: the Python of Debian 12 cannot be told to keep within the folder.
    into.mkdir()
    subprocess.run(["tar", "-x", "-f", archive, "-C", into], check=True)
    (top,) = into.iterdir()
    return top
