"""Keeps the tracks that lie above the middle in all statistics of one kind.

Usage: choose.py STATISTICS scattered|together KIND OUTPUT
"""

import sys

import netCDF4
import numpy as np


def statistics(path, layout):
    with netCDF4.Dataset(path) as file:
        if layout == "scattered":
            return {name: variable[...] for name, variable in file.variables.items()}
        return dict(zip(file.names.split(), file["all"][...]))


def main():
    path, layout, kind, output = sys.argv[1:]
    values = statistics(path, layout)
    chosen = np.all([row >= np.median(row) for name, row in values.items() if kind in name], axis=0)
    with netCDF4.Dataset(f"{output}.nc", "w") as file:
        file.createDimension("track", len(chosen))
        file.createVariable("chosen", "i1", ("track",))[:] = chosen


if __name__ == "__main__":
    main()
