"""Puts the frames of all simulations into one file.

Usage: aggregate.py SIMULATIONS
"""

import sys

import h5py
import numpy as np


def main():
    count = int(sys.argv[1])
    parts = {"positions": [], "energy": [], "rmsd": []}
    for number in range(count):
        with h5py.File(f"simulation_{number:02}.h5") as file:
            for name, collected in parts.items():
                collected.append(file[name][...])
    with h5py.File("aggregated.h5", "w") as file:
        for name, collected in parts.items():
            file.create_dataset(name, data=np.concatenate(collected), chunks=True)


if __name__ == "__main__":
    main()
