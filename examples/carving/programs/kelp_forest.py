"""How kelp follows the temperature of the sea, and what is left of it where the sea gets warmer.

It needs biomass and mean temperatures, but neither their errors nor how often was looked.

Usage: kelp_forest.py RESULT MONTH... KELP
"""

import sys

import netCDF4
import numpy as np
import xarray

WARMER = (0.5, 1.0, 2.0, 4.0)  # kelvin


def temperatures(files, lat, lon):
    """The mean of each quarter at each station."""
    months = []
    for path in files:
        with xarray.open_dataset(path) as file:
            field = file["monthly_mean_sst"][0].values
            row = np.searchsorted(file["lat"].values, lat).clip(0, field.shape[0] - 1)
            column = np.searchsorted(file["lon"].values, lon).clip(0, field.shape[1] - 1)
        months.append(field[row, column])
    months = np.array(months, "f8")
    return months.reshape(-1, 3, months.shape[1]).mean(axis=1)


def main():
    result, *months, kelp = sys.argv[1:]
    with netCDF4.Dataset(kelp) as file:
        biomass = file["biomass"][...].filled(np.nan)
        lat, lon = file["latitude"][...].filled(), file["longitude"][...].filled()
    sea = temperatures(months, lat, lon)
    growth = np.log1p(biomass)
    slope = ((sea - sea.mean()) * growth).mean() / sea.var()
    expected = growth.mean() + slope * (sea - sea.mean())
    left = [np.expm1(np.maximum(expected + slope * warmer, 0)).mean() for warmer in WARMER]

    projection = xarray.Dataset({"biomass": ("warmer", left)}, {"warmer": list(WARMER)})
    projection.to_netcdf(result)
    print(
        f"{sea.shape[0]} quarters, {sea.shape[1]} stations, {np.nanmean(biomass):.6f} kg on average"
    )
    print("projected " + " ".join(f"+{w} K: {kg:.6f} kg" for w, kg in zip(WARMER, left)))


if __name__ == "__main__":
    main()
