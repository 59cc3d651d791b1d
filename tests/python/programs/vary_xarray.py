"""Writes a variety of files with h5netcdf and xarray: python vary_xarray.py SEED COUNT."""

import random
import sys

import h5netcdf
import numpy as np
import pandas
import xarray


def write_h5netcdf(name, dice):
    with h5netcdf.File(name, "w", libver=dice.choice(("earliest", "v110", "latest"))) as file:
        file.dimensions = {"x": dice.randint(1, 20), "t": None}
        file.attrs["title"] = "a title" * dice.randint(1, 20)
        group = file.create_group("a/b")
        for i in range(dice.randint(1, 6)):
            home = dice.choice((file, group))
            options = dice.choice(
                ({}, {"compression": "gzip"}, {"compression": "lzf", "shuffle": True})
            )
            variable = home.create_variable(
                f"v{i}", ("x",), dice.choice(("i4", "f8", ">f4")), **options
            )
            variable[...] = np.arange(file.dimensions["x"].size)
            variable.attrs["units"] = dice.choice(("m", 3, [1.5, 2]))
        file.resize_dimension("t", dice.randint(1, 9))
        kind = file.create_enumtype(np.uint8, "kind", {"a": 0, "b": 3})
        file.create_variable("enum", ("x",), kind, fillvalue=3)


def any_dataset(dice):
    generator = np.random.default_rng(dice.randrange(2**32))
    t, x = dice.randint(1, 30), dice.randint(1, 20)
    dataset = xarray.Dataset(
        coords={"t": pandas.date_range("2001-01-01", periods=t), "x": np.arange(x) * 0.5}
    )
    for i in range(dice.randint(1, 5)):
        values = generator.random((t, x)).astype(dice.choice(("f4", "f8", "i2")))
        dataset[f"v{i}"] = (("t", "x"), values, {"units": "m", "number": i})
    if dice.random() < 0.5:
        dataset["names"] = ("x", np.array(["n" * dice.randint(1, 9) for _ in range(x)]))
    if dice.random() < 0.5:
        dataset["flags"] = ("x", generator.random(x) > 0.5)
    return dataset


def write_xarray(name, dice):
    dataset = any_dataset(dice)
    encoding = dice.choice(
        (
            {},
            {"v0": {"zlib": True, "complevel": 3}},
            {"v0": {"dtype": "i2", "scale_factor": 0.1, "_FillValue": -1}},
        )
    )
    options = {"encoding": encoding, "unlimited_dims": dice.choice(([], ["t"]))}
    engine = dice.choice(("netcdf4", "h5netcdf"))
    dataset.to_netcdf(name, engine=engine, format="NETCDF4", **options)
    dataset.to_netcdf(name, "a", engine=engine, group="again", format="NETCDF4", **options)
    print(name, engine, options)


def main():
    seed, count = sys.argv[1:]
    for number in range(int(count)):
        dice = random.Random(f"{seed}-{number}")
        write = dice.choice((write_h5netcdf, write_xarray))
        try:
            write(f"{number:03}.nc", dice)
        # Dice may ask for what is refused, which must be refused equally.
        except Exception as error:  # noqa: BLE001
            print(number, "refused", type(error).__name__, error)


if __name__ == "__main__":
    main()
