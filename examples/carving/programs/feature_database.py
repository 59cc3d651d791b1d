"""A database of precipitation features: what is wet together is one, and is followed through time.

Of each file it needs the merged precipitation and where the grid lies.

Usage: feature_database.py RESULT FILE...
"""

import sys

import h5py
import numpy as np

THRESHOLD = 1.0  # mm/hr
FEATURE = np.dtype(
    [("time", "i4"), ("label", "i4"), ("cells", "i4"), ("lon", "f4"), ("lat", "f4"), ("rain", "f4")]
)


def labelled(wet):
    """Cells of one feature have one number, the smallest of their own; 0 is dry."""
    number = np.where(wet, np.arange(1, wet.size + 1).reshape(wet.shape), 0)
    pairs = np.concatenate(
        [
            np.stack([number[:-1].ravel(), number[1:].ravel()]),
            np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()]),
        ],
        axis=1,
    )
    pairs = pairs[:, pairs.all(axis=0)]
    name = np.arange(wet.size + 1)
    while pairs.size:
        pairs = np.sort(name[pairs], axis=0)
        pairs = pairs[:, pairs[0] != pairs[1]]
        np.minimum.at(name, pairs[1], pairs[0])
        while (name[name] != name).any():
            name = name[name]
    return name[number]


def features(file):
    grid = file["Grid"]
    time, lon, lat = grid["time"][0], grid["lon"][...], grid["lat"][...]
    rain = grid["precipitationCal"][0]
    labels = labelled(rain >= THRESHOLD)
    names, inverse, cells = np.unique(labels, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    total = np.bincount(inverse, rain.ravel())
    found = np.zeros(len(names), FEATURE)
    found["time"], found["label"], found["cells"], found["rain"] = time, names, cells, total
    for axis, values in (("lon", lon[:, None]), ("lat", lat[None])):
        found[axis] = np.bincount(inverse, (rain * values).ravel()) / np.maximum(total, 1e-9)
    return found[names > 0]


def main():
    result, *files = sys.argv[1:]
    table = []
    for path in files:
        with h5py.File(path) as file:
            table.append(features(file))
    table = np.concatenate(table)
    with h5py.File(result, "w") as file:
        file["features"] = table
    largest = table[table["cells"].argmax()]
    print(f"{len(table)} features in {len(np.unique(table['time']))} files")
    print(
        f"the largest: {largest['cells']} cells around {largest['lon']:.3f}, {largest['lat']:.3f}"
    )
    print(f"{table['rain'].sum(dtype='f8'):.3f} mm/hr together")


if __name__ == "__main__":
    main()
