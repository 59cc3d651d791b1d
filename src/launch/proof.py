"""Run by `quarry doctor` inside the Python that it looks at; any Python from 3.6 on.

survey            which of the HDF5 packages are installed here
prove DIR NAME…   write and read a file with each package, in this one process
"""

import importlib.util
import json
import os
import sys

PACKAGES = ("h5py", "netCDF4", "tables")


def survey():
    found = [name for name in PACKAGES if importlib.util.find_spec(name)]
    return {
        "version": "{}.{}.{}".format(*sys.version_info[:3]),
        "executable": sys.executable,
        "prefix": sys.prefix,
        "packages": found,
    }


def prove_h5py(path):
    import h5py
    import numpy

    data = numpy.arange(1000)
    with h5py.File(path, "w") as file:
        file.create_dataset("proof", data=data, chunks=(64,), compression="gzip")
    with h5py.File(path, "r") as file:
        assert (file["proof"][...] == data).all(), "read back something else than was written"
    return h5py.__version__


def prove_netCDF4(path):
    import netCDF4
    import numpy

    data = numpy.arange(1000)
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", data.size)
        file.createVariable("proof", "i8", ("x",), zlib=True)[:] = data
    with netCDF4.Dataset(path) as file:
        assert (file["proof"][:] == data).all(), "read back something else than was written"
    return netCDF4.__version__


def prove_tables(path):
    import numpy
    import tables

    data = numpy.arange(1000)
    with tables.open_file(path, "w") as file:
        file.create_carray("/", "proof", obj=data)
    with tables.open_file(path) as file:
        assert (file.root.proof[:] == data).all(), "read back something else than was written"
    return tables.__version__


def loaded_libraries():
    """Paths of all libraries called libhdf5-something that this process has mapped."""
    paths = []
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.rstrip("\n").split(None, 5)[-1]
            if os.path.basename(path).startswith("libhdf5") and path not in paths:
                paths.append(path)
    return paths


def prove(directory, *names):
    answer = {"versions": {}, "error": None}
    for name in names:
        try:
            path = os.path.join(directory, name + ".proof")
            answer["versions"][name] = globals()["prove_" + name](path)
        except BaseException as error:  # noqa: BLE001  whatever it is, it is the answer
            answer["error"] = f"{name}: {type(error).__name__}: {error}"
            break
    answer["libraries"] = loaded_libraries()
    return answer


if __name__ == "__main__":
    sys.path[:] = [place for place in sys.path if place]  # not the directory we happen to be in
    result = {"survey": survey, "prove": prove}[sys.argv[1]](*sys.argv[2:])
    sys.stdout.write("\nquarry-proof:" + json.dumps(result) + "\n")
