"""Aerosol of many granules, kriged onto a grid.

Of each file it needs the optical thickness at 550 nm and where it was seen.

Usage: kriging_viirs.py RESULT FILE...
"""

import sys

import netCDF4
import numpy as np
from kriging import onto_grid

EVERY = 101


def observations(path):
    with netCDF4.Dataset(path) as file:
        lat = file["geolocation_data/latitude"][...]
        lon = file["geolocation_data/longitude"][...]
        thick = file["geophysical_data/aot_550"][...]
    seen = ~np.ma.getmaskarray(thick)
    return np.stack([lon[seen], lat[seen], thick[seen]]).filled()[:, ::EVERY]


def main():
    result, *files = sys.argv[1:]
    granules = [observations(path) for path in files]
    lon, lat, thick = np.concatenate(granules, axis=1)
    grid_lon, grid_lat, field = onto_grid(lon, lat, thick)
    with netCDF4.Dataset(result, "w") as file:
        for name, values in (("lat", grid_lat), ("lon", grid_lon)):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        file.createVariable("aot_550", "f8", ("lat", "lon"))[:] = field
    print(f"{len(thick)} pixels of {len(granules)} granules")
    print(f"kriged: mean {field.mean():.6f}, from {field.min():.6f} to {field.max():.6f}")


if __name__ == "__main__":
    main()
