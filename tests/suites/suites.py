"""The suites, as data: where each lives, how it is started, and what is known about it."""

import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
SITE_PACKAGES = Path(sysconfig.get_paths()["platlib"])


@dataclass(frozen=True)
class Suite:
    name: str
    # A program of HDF5's own. All other suites are pytest's and described by the fields below.
    program: Path | None = None
    targets: tuple[str, ...] = ()  # files or folders, relative to the root
    root: Path = SITE_PACKAGES  # test ids are relative to it
    sdist: str = ""  # a package whose tests come only with its source distribution, in this folder:
    sdist_folder: str = ""  # copied for each run, it is root and working folder at once
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    python: str = sys.executable
    in_debian13: bool = False  # root and python are those of a Debian 13 that we change root into
    uses_netcdf4: bool = False
    probes_plugins: bool = False  # lets opens fail, after which HDF5 tries every plugin on its path
    only_whole: bool = False  # left out of `make test`
    # Processes in which the connector cannot be or is not needed, by the test that starts them.
    beyond_reach: dict[str, str] = field(default_factory=dict)
    timeout: int = 900  # seconds for one whole run

    @property
    def list_file(self) -> Path:
        return HERE / "lists" / f"{self.name}.txt"

    def listed(self) -> list[str]:
        """What `make test` runs of it; empty: everything."""
        return self.list_file.read_text().splitlines() if self.list_file.exists() else []


H5PY_BEYOND_REACH = {
    "test_h5pl.py::": "replaces HDF5_PLUGIN_PATH for its child, which then can find no connector",
    "test_objects.py::TestObjects::test_phil_fork_with_threads": "its forked child opens no file",
}

SUITES: tuple[Suite, ...] = (
    Suite(
        "h5py",
        targets=("h5py/tests",),
        arguments=("--no-network",),
        probes_plugins=True,
        beyond_reach=H5PY_BEYOND_REACH,
    ),
    Suite(
        "netcdf4-python",
        sdist="netCDF4",
        sdist_folder="test",
        targets=(".",),
        environment={"NO_NET": "1"},
        uses_netcdf4=True,
    ),
    Suite("h5netcdf", targets=("h5netcdf/tests",), uses_netcdf4=True),
    Suite(
        "xarray",
        targets=(
            "xarray/tests/test_backends.py",
            "xarray/tests/test_backends_api.py",
            "xarray/tests/test_backends_datatree.py",
            "xarray/tests/test_backends_file_manager.py",
        ),
        arguments=("-m", "not network"),
        uses_netcdf4=True,
    ),
    Suite(
        "xarray-distributed",
        targets=("xarray/tests/test_distributed.py",),
        uses_netcdf4=True,
        only_whole=True,
    ),
    Suite("hdf5-api", program=REPOSITORY / ".deps/api-test/h5_api_test"),
    Suite(
        "h5py-debian13",
        targets=("h5py/_debian_h5py_serial/tests",),
        root=Path("/usr/lib/python3/dist-packages"),
        python="/usr/bin/python3",
        arguments=("--no-network",),
        probes_plugins=True,
        beyond_reach=H5PY_BEYOND_REACH,
        in_debian13=True,
        only_whole=True,
    ),
)
