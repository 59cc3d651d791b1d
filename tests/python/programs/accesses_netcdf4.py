"""Does a random sequence of accesses through netCDF4 and writes down, as JSON, what it has done.

Usage: accesses_netcdf4.py write|read SEED EXPECTED.json

The same seed makes the same variables in `write` and in `read`. An access is written down as the
file, the variable's path, the direction, the numbers of the elements that it selects and its bytes.
"""

import json
import random
import sys

import netCDF4
import numpy as np


def any_variable(draw, number):
    shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    options = {"datatype": draw.choice(["i1", "i4", "f8", "u2"])}
    layout = draw.choice(["contiguous", "chunked", "filtered"])
    options["contiguous"] = layout == "contiguous"
    if layout != "contiguous":
        options["chunksizes"] = tuple(draw.randint(1, size) for size in shape)
    if layout == "filtered":
        options["zlib"] = True
        options["shuffle"] = draw.random() < 0.5
        options["fletcher32"] = draw.random() < 0.3
    return f"variable{number}", shape, options


def create(file, name, shape, options):
    group = file.groups.get("group") or file.createGroup("group")
    dimensions = []
    for axis, size in enumerate(shape):
        group.createDimension(f"{name}_{axis}", size)
        dimensions.append(f"{name}_{axis}")
    variable = group.createVariable(name, dimensions=dimensions, **options)
    variable.set_auto_maskandscale(False)


def any_selection(draw, shape):
    """What netCDF takes in one call: a regular pattern along each axis."""
    parts = []
    for size in shape:
        start = draw.randrange(size)
        stop = draw.randint(start + 1, size)
        parts.append(slice(start, stop, draw.choice([1, 1, 2, 3])))
    return draw.choice([tuple(parts), tuple(parts), tuple(slice(None) for _ in shape)])


def main():
    direction, seed, report = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    draw = random.Random(seed)
    variables = [any_variable(draw, number) for number in range(draw.randint(2, 8))]
    order = random.Random(f"{seed} {direction}")
    expected = []
    with netCDF4.Dataset("data.h5", "w" if direction == "write" else "r") as file:
        for variable in variables if direction == "write" else ():
            create(file, *variable)
        for _ in range(40):
            name, shape, _ = order.choice(variables)
            variable = file["group"][name]
            selection = any_selection(order, shape)
            numbers = np.arange(np.prod(shape)).reshape(shape)[selection]
            if direction == "write":
                variable[selection] = np.ones(numbers.shape, variable.dtype)
            else:
                variable[selection]
            size = numbers.size * variable.dtype.itemsize
            expected.append(
                ["data.h5", f"/group/{name}", direction, numbers.flatten().tolist(), size]
            )
            if order.random() < 0.2 and direction == "write":
                file.sync()
    with open(report, "w") as out:
        json.dump(expected, out)


if __name__ == "__main__":
    main()
