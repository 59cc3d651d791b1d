"""An ensemble of small ocean simulations: one HDF5 file per member, written with h5py."""

import sys

import h5py
import numpy as np

MEMBERS, STEPS, CELLS = 4, 240, 96

for member in range(MEMBERS):
    random = np.random.default_rng(member)
    with h5py.File(f"member_{member}.h5", "w") as out:
        out.attrs["model"] = "toy ocean"
        out.attrs["member"] = member
        fields = out.create_group("fields")
        temperature = fields.create_dataset(
            "temperature",
            (STEPS, CELLS, CELLS),
            "f4",
            chunks=(24, 48, 48),
            compression="gzip",
            shuffle=True,
        )
        salinity = fields.create_dataset("salinity", (STEPS, CELLS), "f8")
        state = random.normal(15, 2, (CELLS, CELLS))
        for step in range(STEPS):
            state += 0.1 * (np.roll(state, 1, 0) + np.roll(state, 1, 1) - 2 * state)
            temperature[step] = state.round(3)
            salinity[step] = 35 + 0.01 * state.mean(axis=0)
        out["latest"] = h5py.SoftLink("/fields/temperature")
        out["log"] = np.array([f"step {s}" for s in range(0, STEPS, 60)], dtype=h5py.string_dtype())
print(f"wrote {MEMBERS} members of {STEPS} steps", file=sys.stdout)
