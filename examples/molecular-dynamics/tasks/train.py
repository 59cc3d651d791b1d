"""Learns a linear map from the positions to the energy, in random batches."""

import h5py
import numpy as np

BATCH = 120


def main():
    rng = np.random.default_rng(0)
    with h5py.File("aggregated.h5") as file:
        positions, energy = file["positions"], file["energy"][...]
        weights = np.zeros(positions.shape[1] * 3, "f4")
        for _ in range(3):
            for start in rng.permutation(range(0, len(energy), BATCH)):
                batch = slice(start, start + BATCH)
                frames = positions[batch].reshape(-1, len(weights))
                weights -= 1e-7 * frames.T @ (frames @ weights - energy[batch])
    with h5py.File("model.h5", "w") as file:
        file["weights"] = weights


if __name__ == "__main__":
    main()
