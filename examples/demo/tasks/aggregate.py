"""Brings both together: reads HDF5 with h5py, writes netCDF-4 with netCDF4, in one process."""

import glob

import h5py
import netCDF4
import numpy as np

members = sorted(glob.glob("member_*.h5"))
with h5py.File("ensemble.h5", "w") as out:
    for index, name in enumerate(members):
        out[f"member_{index}"] = h5py.ExternalLink(name, "/fields")

with (
    h5py.File("ensemble.h5") as ensemble,
    netCDF4.Dataset("buoys.nc") as buoys,
    netCDF4.Dataset("aggregate.nc", "w") as out,
):
    mean = np.mean([ensemble[m]["temperature"][:, ::8, ::8] for m in ensemble], axis=0)
    salinity = ensemble["member_1/salinity"][:, 0]
    for name, size in zip(("time", "y", "x"), mean.shape):
        out.createDimension(name, size)
    out.createVariable("model", "f4", ("time", "y", "x"))[:] = mean
    out.createVariable("salinity", "f8", ("time",))[:] = salinity
    out.createVariable("observed", "f4", ("time",))[:] = buoys["temperature"][:].mean(axis=1)
print(f"aggregated {len(members)} members and {len(salinity)} observations")
