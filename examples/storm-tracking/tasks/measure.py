"""What is known of each track: a few numbers.

Usage: measure.py scattered|together
"""

import sys

import netCDF4
import numpy as np

NAMES = [
    f"{what}_{how}"
    for what in ("duration", "area", "rain", "speed", "tb", "lat", "lon", "growth")
    for how in ("mean", "min", "max", "std", "first", "last")
]


def main():
    layout = sys.argv[1]
    with netCDF4.Dataset("tracks.nc") as file:
        tracks = int(file["track"][...].max())
    values = np.random.default_rng(5).random((len(NAMES), max(tracks, 1)))
    with netCDF4.Dataset("statistics.nc", "w") as file:
        file.createDimension("track", values.shape[1])
        if layout == "scattered":
            for name, row in zip(NAMES, values):
                file.createVariable(name, "f8", ("track",))[:] = row
        else:
            file.createDimension("statistic", len(NAMES))
            file.createVariable("all", "f8", ("statistic", "track"))[:] = values
            file.names = " ".join(NAMES)


if __name__ == "__main__":
    main()
