"""Errors of netCDF4, h5netcdf and xarray keep their class, errno and message."""

import pytest
from test_errors_h5py import VARIANTS


@pytest.fixture(params=VARIANTS)
def same_errors(request, both):
    mode, options = VARIANTS[request.param]

    def check(code: str, at_least: int):
        imports = "import os, netCDF4, numpy as np\nfrom attempt import attempt\n"
        outcome = both(imports + code, mode=mode, options=options, files="any")
        assert outcome.stdout.count("Error") >= at_least, outcome.stdout
        assert outcome.stderr == ""
        return outcome

    return check


@pytest.mark.hazard(2)
def test_netcdf4_opening(same_errors):
    outcome = same_errors(
        """
os.mkdir("folder")
open("empty", "w").close()
open("text", "w").write("not HDF5 " * 1000)
netCDF4.Dataset("there.nc", "w").close()
data = open("there.nc", "rb").read()
open("cut.nc", "wb").write(data[:len(data) // 2])
open("signature.nc", "wb").write(data[:8] + bytes(500))
netCDF4.Dataset("classic.nc", "w", format="NETCDF3_CLASSIC").close()
whole = ("there.nc", "classic.nc")
for name in ("missing.nc", "missing/x.nc", "folder", "empty", "text", "cut.nc", "signature.nc", *whole):
    for mode in ("r", "a", "r+", "x"):
        attempt(f"{name} {mode}", lambda: netCDF4.Dataset(name, mode).close())
attempt("clobber", lambda: netCDF4.Dataset("there.nc", "w", clobber=False))
attempt("nowhere", lambda: netCDF4.Dataset("missing/new.nc", "w"))
attempt("format", lambda: netCDF4.Dataset("x.nc", "w", format="NETCDF9"))
attempt("memory", lambda: netCDF4.Dataset("x.nc", memory=b"not HDF5" * 100))
f = netCDF4.Dataset("there.nc", "a")
attempt("again", lambda: netCDF4.Dataset("there.nc", "a").close())
attempt("over", lambda: netCDF4.Dataset("there.nc", "w").close())
""",
        15,
    )
    assert "FileNotFoundError | 2 | [Errno 2] No such file or directory" in outcome.stdout
    assert "OSError | -101 | [Errno -101] NetCDF: HDF error" in outcome.stdout


def test_netcdf4_objects(same_errors):
    same_errors(
        """
f = netCDF4.Dataset("objects.nc", "w")
f.createDimension("x", 4), f.createDimension("t", None)
v = f.createVariable("v", "i4", ("t", "x"))
attempt("variable", lambda: f["nothing"])
attempt("attribute", lambda: v.nothing)
attempt("twice", lambda: f.createVariable("v", "i4"))
attempt("dimension twice", lambda: f.createDimension("x", 3))
attempt("unknown dimension", lambda: f.createVariable("w", "i4", ("y",)))
attempt("name", lambda: f.createVariable("a/b c\\x01", "i4"))
attempt("index", lambda: v[9, 9])
attempt("shape", lambda: v.__setitem__(slice(None), np.zeros((3, 5))))
attempt("filter", lambda: f.createVariable("z", "i4", ("x",), compression="nonsense"))
attempt("chunks", lambda: f.createVariable("c", "i4", ("x",), chunksizes=(50,)))
attempt("rename", lambda: f.renameVariable("no", "yes"))
attempt("type", lambda: f.createVariable("u", "O"))
f.close()
attempt("closed", lambda: v[:])
attempt("closed file", lambda: f.variables["v"][:])
attempt("closed twice", lambda: f.close())
f = netCDF4.Dataset("objects.nc")
attempt("write", lambda: f["v"].__setitem__(0, 1))
attempt("attribute", lambda: f.setncattr("a", 1))
attempt("group", lambda: f.createGroup("g"))
""",
        15,
    )


@pytest.mark.hazard(6)
def test_locked_by_another_process(same_errors):
    same_errors(
        """
import subprocess, sys
hold = "import netCDF4; f = netCDF4.Dataset('held.nc', 'a'); print('ready', flush=True); input()"
netCDF4.Dataset("held.nc", "w").close()
holder = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
holder.stdout.readline()
for mode in ("r", "a", "w"):
    attempt(mode, lambda: netCDF4.Dataset("held.nc", mode).close())
holder.communicate(b"\\n")
""",
        3,
    )


def test_the_other_library_has_it_open(same_errors):
    """Two HDF5 libraries in one process lock each other out like two processes."""
    same_errors(
        """
import h5py
for first, second in ((h5py.File, netCDF4.Dataset), (netCDF4.Dataset, h5py.File)):
    for theirs in ("w", "r"):
        held = first("shared.nc", theirs)
        for mode in ("r", "r+", "w"):
            attempt(f"{theirs} {mode}", lambda: second("shared.nc", mode).close())
        held.close()
""",
        6,
    )


def test_xarray_and_h5netcdf(same_errors):
    same_errors(
        """
import h5netcdf, xarray
nonsense = {"v": {"nonsense": 1}}
open("text", "w").write("not HDF5 " * 1000)
xarray.Dataset({"v": ("x", [1, 2, 3])}).to_netcdf("there.nc")
for engine in ("netcdf4", "h5netcdf"):
    for name in ("missing.nc", "text", "there.nc"):
        attempt(f"{engine} {name}", lambda: xarray.open_dataset(name, engine=engine).load().sizes)
    attempt(f"{engine} group", lambda: xarray.open_dataset("there.nc", group="nothing", engine=engine))
    attempt(f"{engine} nowhere", lambda: xarray.Dataset().to_netcdf("missing/x.nc", engine=engine))
    objects, numbers = (xarray.Dataset({"v": ("x", [value])}) for value in (object(), 1))
    attempt(f"{engine} type", lambda: objects.to_netcdf("o.nc", engine=engine))
    attempt(f"{engine} encoding", lambda: numbers.to_netcdf("e.nc", engine=engine, encoding=nonsense))
attempt("no engine", lambda: xarray.open_dataset("text"))
for name in ("missing.nc", "text"):
    attempt(f"h5netcdf {name}", lambda: h5netcdf.File(name, "r"))
f = h5netcdf.File("h5netcdf.nc", "w")
attempt("variable", lambda: f["nothing"])
attempt("dimension", lambda: f.create_variable("v", ("x",), "f4"))
attempt("feature", lambda: f.create_variable("v", (), "c8"))
f.close()
""",
        12,
    )
