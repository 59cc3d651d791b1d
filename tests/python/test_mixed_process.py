"""h5py and netCDF4 wheels carry different HDF5 libraries, which meet in one process."""

import itertools

import pytest
from running import Mode, Outcome, assert_same

LIBRARIES = ("h5py", "netCDF4", "h5netcdf", "xarray")

# Each writes a file, and each reads the files of all others, so that every pair meets both ways.
ROUND = """
import numpy as np

def write_h5py(name):
    with h5py.File(name, "w") as f:
        d = f.create_dataset("x", data=np.arange(24.0).reshape(4, 6), chunks=(2, 3), compression="gzip")
        d.attrs["units"] = "m"

def write_netCDF4(name):
    with netCDF4.Dataset(name, "w") as f:
        f.createDimension("a", 4), f.createDimension("b", None)
        v = f.createVariable("x", "f8", ("a", "b"), zlib=True)
        v.units = "m"
        v[:] = np.arange(24.0).reshape(4, 6)

def write_h5netcdf(name):
    with h5netcdf.File(name, "w") as f:
        f.dimensions = {"a": 4, "b": 6}
        f.create_variable("x", ("a", "b"), "f8", data=np.arange(24.0).reshape(4, 6)).attrs["units"] = "m"

def write_xarray(name):
    x = xarray.Dataset({"x": (("a", "b"), np.arange(24.0).reshape(4, 6), {"units": "m"})})
    for engine in ("netcdf4", "h5netcdf"):
        x.to_netcdf(f"{engine}-{name}", engine=engine)
    x.to_netcdf(name)

def read_h5py(name):
    with h5py.File(name, "r") as f:
        return f["x"][...].sum(), f["x"].attrs["units"], sorted(f)

def read_netCDF4(name):
    with netCDF4.Dataset(name) as f:
        return f["x"][...].sum(), f["x"].units, sorted(f.variables), f.data_model

def read_h5netcdf(name):
    with h5netcdf.File(name, "r", phony_dims="access") as f:
        return f["x"][...].sum(), f["x"].attrs["units"], sorted(f.variables)

def read_xarray(name):
    found = []
    for engine in ("netcdf4", "h5netcdf"):
        more = {"phony_dims": "access"} if engine == "h5netcdf" else {}
        with xarray.open_dataset(name, engine=engine, **more) as f:
            found += [engine, float(f["x"].sum()), f["x"].attrs["units"]]
    return found
"""

USE_ALL = f"""
libraries = {LIBRARIES!r}
for library in libraries:
    globals()["write_" + library](library + ".nc")
for writer in libraries:
    for reader in libraries:
        print(writer, reader, globals()["read_" + reader](writer + ".nc"))
"""


def assert_both_libraries_served(outcome: Outcome) -> None:
    mine = [witness for witness in outcome.witnesses if witness.pid == outcome.pid]
    assert len(mine) == 2, mine
    assert {"h5py.libs" in witness.library for witness in mine} == {True, False}
    for witness in mine:
        assert witness.reached == {"object-layer", "byte-layer"}, witness


@pytest.mark.hazard(1, 2)
@pytest.mark.parametrize("first", LIBRARIES)
def test_every_import_order(run_python, fixed_clock, first):
    baseline = run_python(
        f"import {', '.join(LIBRARIES)}\n{ROUND}{USE_ALL}", Mode.BASELINE, env=fixed_clock
    )
    for rest in itertools.permutations(set(LIBRARIES) - {first}):
        imports = ", ".join((first, *rest))
        outcome = run_python(f"import {imports}\n{ROUND}{USE_ALL}", Mode.CONNECTOR, env=fixed_clock)
        assert_same(baseline, outcome)
        assert_both_libraries_served(outcome)


@pytest.mark.hazard(1)
@pytest.mark.parametrize("first", ("h5py", "netCDF4"))
def test_second_library_arrives_while_the_first_has_files_open(both, first):
    second = {"h5py": "netCDF4", "netCDF4": "h5py"}[first]
    outcome = both(
        f"""
        import {first}
        import numpy as np
        {ROUND.strip().replace(chr(10), chr(10) + " " * 8)}
        write_{first}("one.nc")
        opened = h5py.File("one.nc", "r+") if {first!r} == "h5py" else netCDF4.Dataset("one.nc", "a")
        import {second}
        write_{second}("two.nc")
        print(read_{second}("two.nc"), opened["x"][1, 2])
        opened["x"][1, 2] = 7
        opened.close()
        print(read_h5py("one.nc"), read_netCDF4("one.nc"))
        """,
        files="any",
    )
    assert_both_libraries_served(outcome)


@pytest.mark.hazard(1)
def test_threads_in_both_libraries_at_once(both):
    """netCDF4 is not thread-safe in itself: its own calls are serialised, as xarray does."""
    outcome = both(
        f"""
        import h5py, netCDF4, threading
        from concurrent.futures import ThreadPoolExecutor
        {ROUND.strip().replace(chr(10), chr(10) + " " * 8)}
        turn = threading.Lock()

        def work(number):
            name = f"{{number}}.nc"
            if number % 2:
                write_h5py(name)
                return [read_h5py(name) for _ in range(20)][-1]
            with turn:
                write_netCDF4(name)
            for _ in range(20):
                with turn:
                    found = read_netCDF4(name)
            return found

        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(work, range(40)):
                print(found)
        """,
        files="any",
    )
    assert_both_libraries_served(outcome)


@pytest.mark.hazard(1)
@pytest.mark.parametrize(
    "scheduler", ("threads", pytest.param("processes", marks=pytest.mark.slow), "synchronous")
)
def test_dask(both, scheduler):
    outcome = both(
        f"""
        import dask, h5py, numpy as np, xarray
        import dask.array as da

        def main():
            dask.config.set(scheduler={scheduler!r}, num_workers=2)
            for number, engine in enumerate(("netcdf4", "h5netcdf")):
                values = np.arange(400.0).reshape(20, 20) + number
                part = xarray.Dataset({{"v": (("t", "x"), values)}}, {{"t": np.arange(20) + 20 * number}})
                part.to_netcdf(f"part{{number}}.nc", engine=engine)
            for engine in ("netcdf4", "h5netcdf"):
                with xarray.open_mfdataset("part*.nc", engine=engine, chunks={{"t": 5}}, parallel=False) as all:
                    print(engine, float(all.v.mean()), float(all.v.std()), all.v.chunks)
                    # Written by threads: a lock on a file does not travel between processes.
                    with dask.config.set(scheduler="threads"):
                        all.chunk({{"t": 8}}).to_netcdf(f"whole-{{engine}}.nc", engine=engine)
            with h5py.File("whole-netcdf4.nc", "r") as f:
                print(da.from_array(f["v"], chunks=(7, 7)).sum().compute(scheduler="threads"))
                with dask.config.set(scheduler="threads"):
                    da.from_array(f["v"], chunks=10).to_hdf5("copy.h5", "/v", compression="lzf")

        if __name__ == "__main__":
            main()
        """,
        files="any",
    )
    assert_both_libraries_served(outcome)
