"""What a simulation has found out about a molecule under a tip: for each state the forces, where each
move of the tip leads, and the atoms. Beside it, what an instrument has measured.

Usage: particle_filter.py tiny|full
"""

import sys

import h5py
import numpy as np

# States, steps of the measurement.
SIZES = {"tiny": (20_000, 60), "full": (1_500_000, 5000)}
MOVES, ATOMS = 6, 3
SPECIES = h5py.enum_dtype({"H": 1, "C": 6, "O": 8}, basetype="u1")


def simulated(rng, states):
    """Neighbours have similar forces: states are numbered along a path through their space."""
    along = np.linspace(0, 40 * np.pi, states)
    gradient = np.sin(along) * 3 + np.sin(7.3 * along) + rng.normal(0, 0.05, states)
    stride = rng.integers(1, states // 8, (states, MOVES)) * np.array([1, -1, 2, -2, 3, -3])
    return gradient, (np.arange(states)[:, None] + stride) % states


def main():
    states, steps = SIZES[sys.argv[1]]
    rng = np.random.default_rng(11)
    gradient, following = simulated(rng, states)
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    with h5py.File("simulation.h5", "w", track_order=True) as file:
        file.attrs["method"] = "relaxation of a molecule under a tip"
        file.attrs["tip_step"] = 0.1
        model = file.create_group("model", track_order=True)
        model["species"] = np.array([8, 6, 1], SPECIES)
        setting = np.dtype([("stiffness", "f8"), ("cutoff", "f4"), ("iterations", "i4")])
        model["settings"] = np.array((0.5, 9.0, 4000), setting)
        observed = file.create_group("observables", track_order=True)
        observed.create_dataset("force_gradient", data=gradient, chunks=(8192,), **packed)
        observed["force_gradient"].attrs["units"] = "N/m"
        observed.create_dataset(
            "energy", data=gradient.cumsum().astype("f4"), chunks=(8192,), **packed
        )
        file.create_dataset(
            "transitions", data=following.astype("i4"), chunks=(8192, MOVES), **packed
        )
        atoms = rng.normal(0, 0.3, (states, ATOMS, 3)).astype("f2")
        file.create_dataset("positions", data=atoms, chunks=(4096, ATOMS, 3), **packed)
        file["positions"].attrs["of"] = model["species"].ref

    moves = rng.integers(0, MOVES, steps)
    state, seen = states // 3, []
    for move in moves:
        state = following[state, move]
        seen.append(gradient[state] + rng.normal(0, 0.02))
    with h5py.File("measurement.h5", "w") as file:
        file["moves"] = moves
        file["force_gradient"] = seen


if __name__ == "__main__":
    main()
