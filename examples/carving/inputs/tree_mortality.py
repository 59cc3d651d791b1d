"""Climate, terrain and dead trees of a mountain range on one grid, in netCDF-4 files.

Usage: tree_mortality.py tiny|full
"""

import sys

import netCDF4
import numpy as np

# Years, cells north, cells east.
SIZES = {"tiny": (8, 120, 100), "full": (24, 400, 360)}
FIRST = 2000
CLIMATE = {"ppt": "mm", "tmax": "degC", "tmin": "degC", "vpd": "hPa", "pet": "mm"}
CLIMATE |= {"swe": "mm", "srad": "W m-2"}
TERRAIN = {"elevation": "m", "slope": "degree", "northness": "1"}


def grid(name, years, north, east):
    file = netCDF4.Dataset(name, "w")
    file.Conventions = "CF-1.8"
    for axis, values in (
        ("year", np.arange(FIRST, FIRST + years)),
        ("northing", 4e6 + 1000.0 * np.arange(north)),
        ("easting", 2e5 + 1000.0 * np.arange(east)),
    ):
        # More years are to come.
        file.createDimension(axis, None if axis == "year" else len(values))
        file.createVariable(axis, values.dtype, (axis,))[:] = values
    reference = file.createVariable("spatial_ref", "i4")
    reference.grid_mapping_name = "albers_conical_equal_area"
    reference.standard_parallel = np.array([34.0, 40.5])
    return file


def add(file, name, units, values, kind="f4"):
    axes = ("year", "northing", "easting")[3 - values.ndim :]
    chunks = (1, *values.shape[1:]) if values.ndim == 3 else values.shape
    variable = file.createVariable(
        name, kind, axes, zlib=True, complevel=1, chunksizes=chunks, fill_value=-99
    )
    variable.units, variable.grid_mapping = units, "spatial_ref"
    variable[:] = values


def main():
    years, north, east = SIZES[sys.argv[1]]
    rng = np.random.default_rng(15)
    shape = (years, north, east)
    height = np.abs(rng.normal(0, 1, (north, east))).cumsum(axis=1)
    with grid("terrain.nc", years, north, east) as file:
        for name, units in TERRAIN.items():
            add(file, name, units, height * 50 + rng.normal(0, 9, (north, east)))
    drought = rng.normal(0, 1, (years, 1, 1)) + rng.normal(0, 0.5, shape)
    with grid("climate.nc", years, north, east) as file:
        for name, units in CLIMATE.items():
            add(file, name, units, drought + rng.normal(0, 1, shape).round(1))
    with grid("mortality.nc", years, north, east) as file:
        dying = np.maximum(drought + np.roll(drought, 1, 0) + height / height.max(), 0)
        dying = np.ma.array(dying, mask=rng.random(shape) < 0.1)
        add(file, "dead_fraction", "1", dying)
        add(file, "trees", "ha-1", rng.integers(50, 500, shape), "i2")
        add(file, "surveyed", "1", rng.integers(0, 2, shape), "i1")
        add(file, "fold", "1", rng.integers(0, 5, (north, east)), "i1")


if __name__ == "__main__":
    main()
