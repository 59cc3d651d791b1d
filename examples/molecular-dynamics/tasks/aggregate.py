"""Puts the frames of all simulations into one file.

Usage: aggregate.py SIMULATIONS chunked|contiguous
"""

import sys

import h5py
import numpy as np


def main():
    count, layout = int(sys.argv[1]), sys.argv[2]
    parts = {"positions": [], "energy": [], "rmsd": []}
    for number in range(count):
        with h5py.File(f"simulation_{number:02}.h5") as file:
            for name, collected in parts.items():
                collected.append(file[name][...])
    with h5py.File("aggregated.h5", "w") as file:
        for name, collected in parts.items():
            values = np.concatenate(collected)
            options = {"chunks": True} if layout == "chunked" else {}
            file.create_dataset(name, data=values, **options)


if __name__ == "__main__":
    main()
