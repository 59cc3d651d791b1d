"""Fields of cloud temperature: cold spots that wander."""

import netCDF4
import numpy as np

TIMES, LAT, LON, SPOTS = 24, 60, 90, 12


def main():
    rng = np.random.default_rng(3)
    start = rng.random((SPOTS, 2)) * (LAT, LON)
    speed = rng.normal(0, 1, (SPOTS, 2))
    y, x = np.mgrid[:LAT, :LON]
    with netCDF4.Dataset("fields.nc", "w") as file:
        for name, size in (("time", TIMES), ("lat", LAT), ("lon", LON)):
            file.createDimension(name, size)
        tb = file.createVariable("tb", "f4", ("time", "lat", "lon"))
        for time in range(TIMES):
            field = np.full((LAT, LON), 290.0)
            for row, column in (start + speed * time) % (LAT, LON):
                field -= 80 * np.exp(-((y - row) ** 2 + (x - column) ** 2) / 12)
            tb[time] = field


if __name__ == "__main__":
    main()
