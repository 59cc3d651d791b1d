"""Ozone of many orbits, kriged onto a grid.

Of each file it needs the profiles and where they are.

Usage: kriging_omi.py RESULT FILE...
"""

import sys

import h5py
import numpy as np
from kriging import onto_grid

SWATH, EVERY = "HDFEOS/SWATHS/O3Profile", 5


def observations(path):
    with h5py.File(path) as file:
        swath = file[SWATH]
        profile = swath["Data Fields/O3"]
        missing = profile.attrs["MissingValue"][0]
        ozone = profile[...]
        lat = swath["Geolocation Fields/Latitude"][...]
        lon = swath["Geolocation Fields/Longitude"][...]
    seen = (ozone != missing).all(axis=-1)
    column = ozone.sum(axis=-1, dtype="f8")
    return np.stack([lon[seen], lat[seen], column[seen]])[:, ::EVERY]


def main():
    result, *files = sys.argv[1:]
    orbits = [observations(path) for path in files]
    lon, lat, column = np.concatenate(orbits, axis=1)
    grid_lon, grid_lat, field = onto_grid(lon, lat, column)
    with h5py.File(result, "w") as file:
        file["lon"], file["lat"], file["O3"] = grid_lon, grid_lat, field
    print(f"{len(column)} columns of {len(orbits)} orbits")
    print(f"kriged: mean {field.mean():.6f} DU, from {field.min():.6f} to {field.max():.6f}")


if __name__ == "__main__":
    main()
