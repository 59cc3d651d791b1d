"""Compares model and observation with xarray, through both of its netCDF engines."""

import xarray

with xarray.open_dataset("aggregate.nc", engine="netcdf4") as data:
    model = data["model"].mean(("y", "x")).load()
with xarray.open_dataset("aggregate.nc", engine="h5netcdf") as data:
    observed = data["observed"].load()

bias = (model - observed).rename("bias")
bias.to_netcdf("bias.nc", engine="netcdf4")
print(f"mean bias {float(bias.mean()):+.4f} K, largest {float(abs(bias).max()):.4f} K")
