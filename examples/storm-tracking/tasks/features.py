"""Where it is cold: a mask for each time."""

import netCDF4


def main():
    with netCDF4.Dataset("fields.nc") as fields, netCDF4.Dataset("features.nc", "w") as file:
        tb = fields["tb"]
        for name, size in zip(("time", "lat", "lon"), tb.shape):
            file.createDimension(name, size)
        mask = file.createVariable("mask", "i1", ("time", "lat", "lon"))
        for time in range(tb.shape[0]):
            mask[time] = tb[time] < 241


if __name__ == "__main__":
    main()
