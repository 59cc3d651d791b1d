"""One simulation: frames with positions and energies, and a map of which atoms touch.

Usage: simulate.py NUMBER chunked|contiguous written|left-out
"""

import sys

import h5py
import numpy as np

FRAMES, ATOMS = 40, 60


def main():
    number, layout, contact_map = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    rng = np.random.default_rng(number)
    positions = rng.normal(size=(FRAMES, ATOMS, 3)).cumsum(axis=0).astype("f4")
    with h5py.File(f"simulation_{number:02}.h5", "w") as file:
        options = {"chunks": True} if layout == "chunked" else {}
        file.create_dataset("positions", data=positions, **options)
        for name in ("energy", "rmsd", "fnc"):
            file.create_dataset(name, data=rng.random(FRAMES).astype("f4"), **options)
        if contact_map == "written":
            distances = np.linalg.norm(positions[:, :, None] - positions[:, None], axis=-1)
            file.create_dataset("contact_map", data=(distances < 8).astype("i1"))


if __name__ == "__main__":
    main()
