"""Does a random sequence of accesses through h5py and writes down, as JSON, what it has done.

Usage: accesses_h5py.py write|read SEED EXPECTED.json

The same seed makes the same datasets in `write` and in `read`. An access is written down as the
file, the dataset's path, the direction, the numbers of the elements that it selects and its bytes.
"""

import json
import random
import sys

import h5py
import numpy as np

TYPES = ["i1", "<i4", ">f8", "S5", np.dtype([("a", "<i2"), ("b", "<f4")]), h5py.string_dtype()]


def any_dataset(draw, number):
    shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    options = {"dtype": draw.choice(TYPES)}
    layout = draw.choice(["contiguous", "chunked", "filtered"])
    if layout != "contiguous":
        options["chunks"] = tuple(draw.randint(1, size) for size in shape)
    if layout == "filtered" and options["dtype"] is not TYPES[-1]:
        options["compression"] = draw.choice(["gzip", "lzf"])
        options["shuffle"] = draw.random() < 0.5
        options["fletcher32"] = draw.random() < 0.3
    return f"group{number % 3}/dataset{number}", shape, options


def any_selection(draw, shape):
    kind = draw.choice(["all", "slices", "slices", "mask", "list", "chunk"])
    if kind == "slices":
        parts = []
        for size in shape:
            start = draw.randrange(size)
            stop = draw.randint(start + 1, size)
            parts.append(draw.choice([start, slice(start, stop), slice(start, stop, 2)]))
        return tuple(parts)
    if kind == "mask":
        mask = np.array([draw.random() < 0.3 for _ in range(int(np.prod(shape)))]).reshape(shape)
        mask.flat[0] = True
        return mask
    if kind == "list":
        rows = sorted(draw.sample(range(shape[0]), draw.randint(1, shape[0])))
        return (rows, *(slice(None) for _ in shape[1:]))
    return kind


def elements(shape, selection):
    chosen = np.zeros(shape, bool)
    chosen[... if isinstance(selection, str) else selection] = True
    return np.flatnonzero(chosen).tolist()


def entry(dataset, direction, numbers, count):
    return ["data.h5", dataset.name, direction, numbers, count * dataset.id.get_type().get_size()]


def values(dtype, shape):
    if h5py.check_string_dtype(dtype) is not None and h5py.check_string_dtype(dtype).length is None:
        return np.full(shape, "variable", dtype=object)
    return np.ones(shape, dtype)


def main():
    direction, seed, report = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    draw = random.Random(seed)
    expected = []
    datasets = [any_dataset(draw, number) for number in range(draw.randint(2, 8))]
    order = random.Random(f"{seed} {direction}")
    with h5py.File("data.h5", "w" if direction == "write" else "r") as file:
        for path, shape, options in datasets if direction == "write" else ():
            file.create_dataset(path, shape, **options)
        for _ in range(40):
            path, shape, options = order.choice(datasets)
            dataset = file[path]
            selection = any_selection(order, shape)
            if isinstance(selection, str) and selection == "chunk":
                selection = "all"
                filters = "compression" in options or options["dtype"] is TYPES[-1]
                if "chunks" in options and direction == "read" and not filters:
                    place = tuple(
                        order.randrange(0, s, c) for s, c in zip(shape, options["chunks"])
                    )
                    if dataset.id.get_num_chunks() == np.prod(
                        [-(-s // c) for s, c in zip(shape, options["chunks"])]
                    ):
                        dataset.id.read_direct_chunk(place)
                        size = int(np.prod(options["chunks"]))
                        expected.append(entry(dataset, "read", ["chunk", *place, size], size))
                        continue
            index = ... if isinstance(selection, str) else selection
            if direction == "write":
                dataset[index] = values(dataset.dtype, np.empty(shape)[index].shape)
            else:
                dataset[index]
            numbers = elements(shape, selection)
            expected.append(entry(dataset, direction, numbers, len(numbers)))
            if order.random() < 0.2 and direction == "write":
                file.flush()
    with open(report, "w") as out:
        json.dump(expected, out)


if __name__ == "__main__":
    main()
