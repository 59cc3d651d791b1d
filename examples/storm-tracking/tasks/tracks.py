"""Numbers for what hangs together, along the columns of the field."""

import netCDF4
import numpy as np


def main():
    with netCDF4.Dataset("links.nc") as links, netCDF4.Dataset("tracks.nc", "w") as file:
        overlap = links["overlap"][...]
        cold = overlap.any(axis=(0, 1))
        edges = np.flatnonzero(np.diff(np.concatenate([[0], cold, [0]])))
        numbers = np.zeros(overlap.shape[2], "i4")
        for number, (begin, end) in enumerate(zip(edges[::2], edges[1::2]), 1):
            numbers[begin:end] = number
        file.createDimension("lon", overlap.shape[2])
        file.createVariable("track", "i4", ("lon",))[:] = numbers


if __name__ == "__main__":
    main()
