"""Buoy observations, appended month by month to a netCDF-4 file with netCDF4."""

import netCDF4
import numpy as np

with netCDF4.Dataset("buoys.nc", "w") as out:
    out.title = "buoy temperatures"
    out.createDimension("time", None)
    out.createDimension("buoy", 32)
    time = out.createVariable("time", "f8", ("time",))
    time.units = "hours since 2025-01-01"
    temperature = out.createVariable(
        "temperature", "f4", ("time", "buoy"), zlib=True, chunksizes=(80, 32), fill_value=-999.0
    )
    names = out.createVariable("name", str, ("buoy",))
    for buoy in range(32):
        names[buoy] = f"buoy {buoy:02d}"

random = np.random.default_rng(99)
for month in range(3):
    with netCDF4.Dataset("buoys.nc", "a") as out:
        start = len(out.dimensions["time"])
        out["time"][start : start + 80] = np.arange(start, start + 80)
        out["temperature"][start : start + 80] = random.normal(15, 1, (80, 32)).round(2)
print("appended 3 months for 32 buoys")
