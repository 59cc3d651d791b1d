"""Which cold places of one time touch those of the next."""

import netCDF4


def main():
    with netCDF4.Dataset("features.nc") as features, netCDF4.Dataset("links.nc", "w") as file:
        mask = features["mask"]
        for name, size in zip(("time", "lat", "lon"), mask.shape):
            file.createDimension(name, size)
        link = file.createVariable("overlap", "i1", ("time", "lat", "lon"))
        before = mask[0]
        for time in range(1, mask.shape[0]):
            now = mask[time]
            link[time] = before & now
            before = now


if __name__ == "__main__":
    main()
