"""Half-hourly precipitation on a grid, a file for each, as the GPM mission gives it away: the merged
product, and all that it was merged from.

Usage: feature_database.py tiny|full
"""

import sys

import h5py
import numpy as np

# Files, longitudes, latitudes.
SIZES = {"tiny": (4, 480, 240), "full": (24, 960, 480)}
MISSING = np.float32(-9999.9)
RAIN = {"precipitationCal": 1.0, "precipitationUncal": 0.9, "HQprecipitation": 1.1}
RAIN |= {"IRprecipitation": 0.8, "randomError": 0.3}


def showers(rng, times, columns, rows):
    """Warm and wet spots that drift east."""
    coarse = rng.normal(0, 1, (columns // 15, rows // 15))
    field = np.kron(coarse, np.ones((15, 15)))
    for _ in range(6):
        field = (field + np.roll(field, 3, 0) + np.roll(field, 3, 1)) / 3
    for time in range(times):
        yield np.maximum(np.roll(field, 2 * time, 0) * 8 - 2, 0)


def write(name, time, rain, rng):
    columns, rows = rain.shape
    chunks = (1, min(145, columns), rows)
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True, "chunks": chunks}
    with h5py.File(name, "w") as file:
        file.attrs["FileHeader"] = np.bytes_(f"AlgorithmID=3IMERGHH;\nGranuleNumber={time};\n")
        grid = file.create_group("Grid")
        for axis, values in (
            ("time", np.array([1800 * time], "i4")),
            ("lon", np.linspace(-180, 180, columns, endpoint=False, dtype="f4")),
            ("lat", np.linspace(-90, 90, rows, endpoint=False, dtype="f4")),
        ):
            grid[axis] = values
            grid[axis].make_scale(axis)
        noise = {of: rng.gamma(1, 0.2, rain.shape) for of in RAIN}
        fields = {
            of: np.where(rain > 0, (factor * rain + noise[of]).round(2), 0).astype("f4")
            for of, factor in RAIN.items()
        }
        # Few satellites see it at a time.
        fields["HQprecipitation"][columns // 3 :] = MISSING
        seen = fields["HQprecipitation"] != MISSING
        fields["HQprecipSource"] = (rng.integers(1, 12, rain.shape) * seen).astype("i2")
        fields["precipitationQualityIndex"] = (seen * 0.8 + 0.1).astype("f4")
        liquid = rng.integers(0, 101, rain.shape) * (rain > 0)
        fields["probabilityLiquidPrecipitation"] = liquid.astype("i2")
        for of, values in fields.items():
            dataset = grid.create_dataset(of, data=values[None], fillvalue=None, **packed)
            dataset.attrs["DimensionNames"] = np.bytes_("time,lon,lat")
            dataset.attrs["units"] = np.bytes_("mm/hr" if of in RAIN else "1")
            dataset.attrs["_FillValue"] = MISSING.astype(values.dtype)
            for number, axis in enumerate(("time", "lon", "lat")):
                dataset.dims[number].attach_scale(grid[axis])


def main():
    times, columns, rows = SIZES[sys.argv[1]]
    rng = np.random.default_rng(12)
    for time, rain in enumerate(showers(rng, times, columns, rows)):
        write(f"3B-HHR.{30 * time:04}.HDF5", time, rain, rng)


if __name__ == "__main__":
    main()
