"""The netCDF4 wheel's own filters are there for those, and only those, who had them without Quarry."""

import importlib.util

import pytest
from running import Mode, netcdf4_filters

WRITE = """
import netCDF4, numpy as np
with netCDF4.Dataset("filtered.nc", "w") as f:
    f.createDimension("x", 3000)
    for name in ("zlib", "szip", "zstd", "bzip2", "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_zlib", "blosc_zstd"):
        try:
            v = f.createVariable(name, "f8", ("x",), compression=name)
            v[:] = np.arange(3000) // 7
            print(name, f.has_zstd_filter(), f.has_bzip2_filter(), f.has_blosc_filter(), f.has_szip_filter())
        except RuntimeError as error:
            print(name, error)
"""

READ_NETCDF4 = """
import netCDF4
with netCDF4.Dataset("filtered.nc") as f:
    for name, v in f.variables.items():
        print(name, v.filters(), v[:].sum())
"""

READ_H5PY = """
import h5py
with h5py.File("filtered.nc", "r") as f:
    print([h5py.h5z.filter_avail(number) for number in (1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32015, 32013)])
    for name in f:
        try:
            print(name, f[name][...].sum())
        except Exception as error:
            print(name, type(error).__name__, error)
"""


@pytest.mark.hazard(11)
def test_netcdf4_has_its_filters(both, fixed_clock):
    outcome = both(WRITE + READ_NETCDF4, env=fixed_clock)
    written = [line for line in outcome.lines() if line.endswith("True True True True")]
    assert len(written) == 9, outcome.stdout


@pytest.mark.hazard(11)
@pytest.mark.parametrize("order", ("netCDF4, h5py", "h5py, netCDF4"))
def test_h5py_reads_them_in_either_order(both, order):
    """HDF5 reads the plugin path when it needs its first plugin, which may be after netCDF4 has set it."""
    both(f"import {order}\n{WRITE}{READ_H5PY}", files="any")


@pytest.mark.hazard(11)
@pytest.mark.parametrize("imports", ("netCDF4, h5py", "h5py, netCDF4", "h5py"))
def test_a_filter_that_nobody_has_is_missed_in_the_same_directories(both, imports):
    """HDF5's message names each directory that it could not open."""
    outcome = both(
        f"""import {imports}
from attempt import attempt
with h5py.File("unknown.h5", "w") as f:
    data = f.create_dataset("data", (4,), chunks=(4,), dtype="u1", compression="gzip")
    data.id.write_direct_chunk((0,), b"four")
raw = open("unknown.h5", "rb").read()
# The message of the filters, version 1: deflate, a name of 8 bytes, optional, one value.
at = raw.index(bytes([1, 0, 8, 0, 1, 0, 1, 0]))
open("unknown.h5", "r+b").write(raw[:at] + bytes([0x39, 0x30]) + raw[at + 2 :])
attempt("read", lambda: h5py.File("unknown.h5", "r")["data"][...])
""",
        files="any",
    )
    assert "plugin" in outcome.stdout, outcome.stdout


@pytest.mark.hazard(11)
def test_h5py_alone_has_none(both):
    both(
        READ_H5PY.replace("with h5py", "h5py.File('filtered.nc', 'w').close()\nwith h5py"),
        files="any",
    )


@pytest.mark.hazard(11)
@pytest.mark.parametrize("child", ("READ_NETCDF4", "READ_H5PY"))
def test_child_processes_inherit_the_path(both, child):
    """Python's `os.environ` hands on what netCDF4 has put there."""
    both(
        f"{WRITE}\nimport subprocess, sys\nsubprocess.run([sys.executable, '-c', {globals()[child]!r}])",
        files="any",
    )


@pytest.mark.hazard(11)
def test_path_of_the_user_is_kept(run_python, plugin_dir, tmp_path):
    """A user who has set the path has no filters of netCDF4's natively, and none with Quarry."""
    mine = {"HDF5_PLUGIN_PATH": str(tmp_path)}
    baseline = run_python(WRITE, Mode.BASELINE, env=mine)
    # `quarry run` appends to what is there, and notes nothing.
    under = {"HDF5_PLUGIN_PATH": f"{tmp_path}:{plugin_dir}", "QUARRY_PLUGIN_PATH_UNSET": None}
    outcome = run_python(WRITE, Mode.CONNECTOR, env=under)
    assert outcome.stdout == baseline.stdout
    assert "undefined filter" in baseline.stdout


@pytest.mark.hazard(11)
def test_path_of_the_user_serves_filters(run_python, plugin_dir):
    filters = netcdf4_filters()
    baseline = run_python(WRITE + READ_H5PY, Mode.BASELINE, env={"HDF5_PLUGIN_PATH": filters})
    under = {"HDF5_PLUGIN_PATH": f"{filters}:{plugin_dir}", "QUARRY_PLUGIN_PATH_UNSET": None}
    outcome = run_python(WRITE + READ_H5PY, Mode.CONNECTOR, env=under)
    assert outcome.stdout == baseline.stdout
    assert "undefined filter" not in baseline.stdout


@pytest.mark.skipif(
    importlib.util.find_spec("hdf5plugin") is None, reason="hdf5plugin is not installed"
)
def test_filters_of_the_hdf5plugin_wheel(both, fixed_clock):
    """It registers its filters by itself, in the HDF5 of h5py, without any path."""
    both(
        """
        import h5py, hdf5plugin, numpy as np
        kinds = ("Blosc", "Blosc2", "BZip2", "LZ4", "Zstd", "Bitshuffle", "FciDecomp", "Zfp", "SZ3")
        with h5py.File("plugin.h5", "w") as f:
            for name in kinds:
                try:
                    filter = getattr(hdf5plugin, name)()
                    f.create_dataset(name, data=np.arange(5000, dtype="f4"), chunks=(700,), **filter)
                except Exception as error:
                    print(name, type(error).__name__, error)
        with h5py.File("plugin.h5", "r") as f:
            for name in f:
                print(name, f[name][...].sum(), f[name].id.get_storage_size())
        """,
        env=fixed_clock,
    )
