"""Kelp as satellites see it, quarter by quarter at many stations, and monthly temperatures of the sea,
a file for each month, in netCDF-4 files.

Usage: kelp_forest.py tiny|full
"""

import sys

import netCDF4
import numpy as np

# Years, stations, latitudes, longitudes.
SIZES = {"tiny": (1, 20_000, 240, 300), "full": (4, 200_000, 900, 1000)}
FIRST, SOUTH, WEST, HEIGHT, WIDTH = 2002, 27.0, -123.0, 10.0, 9.0
MISSING = -32768


def write_kelp(rng, years, stations):
    with netCDF4.Dataset("LandsatKelpBiomass.nc", "w") as file:
        file.createDimension("time", 4 * years)
        file.createDimension("station", stations)
        for name, values in (
            ("year", np.repeat(np.arange(FIRST, FIRST + years), 4)),
            ("quarter", np.tile(np.arange(1, 5), years)),
        ):
            file.createVariable(name, "i2", ("time",))[:] = values
        lat = SOUTH + HEIGHT * rng.random(stations)
        lon = WEST + WIDTH * rng.random(stations)
        for name, values in (("latitude", lat), ("longitude", lon)):
            file.createVariable(name, "f8", ("station",), zlib=True)[:] = values
        shape = (4 * years, stations)
        # More of it in the north, where it is cooler.
        biomass = rng.gamma(1, 300, shape) * (rng.random(shape) < (lat - SOUTH) / HEIGHT)
        for name, kind, values in (
            ("biomass", "f8", biomass.round(1)),
            ("biomass_se", "f8", (biomass * rng.random(shape) / 5).round(1)),
            ("passes", "i4", rng.integers(0, 12, shape)),
            ("passes5", "i4", rng.integers(0, 6, shape)),
            ("passes7", "i4", rng.integers(0, 6, shape)),
        ):
            variable = file.createVariable(
                name, kind, ("time", "station"), zlib=True, complevel=1, fill_value=-1
            )
            variable.units = "kg" if kind == "f8" else "count"
            variable[:] = values
        satellite = file.createVLType("u1", "satellites_t")
        used = file.createVariable("satellites", satellite, ("time",))
        for time in range(4 * years):
            used[time] = np.array([5, 7][: 1 + time % 2], "u1")


def write_temperature(rng, month, rows, columns):
    year, number = FIRST + month // 12, month % 12 + 1
    with netCDF4.Dataset(f"{year}{number:02}-MUR-monthly.nc", "w") as file:
        file.Conventions, file.title = "CF-1.7", "Monthly sea surface temperature"
        for axis, values, units in (
            ("time", np.array([month * 30.0]), f"days since {FIRST}-01-01"),
            ("lat", np.linspace(SOUTH, SOUTH + HEIGHT, rows, dtype="f4"), "degrees_north"),
            ("lon", np.linspace(WEST, WEST + WIDTH, columns, dtype="f4"), "degrees_east"),
        ):
            file.createDimension(axis, None if axis == "time" else len(values))
            variable = file.createVariable(axis, values.dtype, (axis,))
            variable.units = units
            variable[:] = values
        warm = 290 + 4 * np.sin(2 * np.pi * month / 12) - np.linspace(0, 5, rows)[:, None]
        warm = warm + rng.normal(0, 0.3, (rows, columns))
        for name, values, scale, offset in (
            ("monthly_mean_sst", warm, 0.001, 290.0),
            ("monthly_std_sst", rng.gamma(2, 0.2, warm.shape), 0.001, 10.0),
        ):
            variable = file.createVariable(
                name, "i2", ("time", "lat", "lon"), zlib=True, complevel=1, fill_value=MISSING
            )
            variable.units, variable.scale_factor, variable.add_offset = "kelvin", scale, offset
            variable[0] = values


def main():
    years, stations, rows, columns = SIZES[sys.argv[1]]
    rng = np.random.default_rng(16)
    write_kelp(rng, years, stations)
    for month in range(12 * years):
        write_temperature(rng, month, rows, columns)


if __name__ == "__main__":
    main()
