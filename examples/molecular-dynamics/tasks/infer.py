"""Says which frames of which simulation look most promising.

Usage: infer.py SIMULATIONS
"""

import sys

import h5py
import numpy as np


def main():
    with h5py.File("model.h5") as file:
        weights = file["weights"][...]
    best = []
    for number in range(int(sys.argv[1])):
        with h5py.File(f"simulation_{number:02}.h5") as file:
            frames = file["positions"][...]
            best.append(int(np.argmin(frames.reshape(len(frames), -1) @ weights)))
    with open("promising.txt", "w") as out:
        print(*best, file=out)


if __name__ == "__main__":
    main()
