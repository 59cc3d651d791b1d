"""Writes a variety of netCDF-4 files with netCDF4: python vary_netcdf4.py SEED COUNT."""

import random
import sys

import netCDF4
import numpy as np

COMPRESSIONS = ("zlib", "zstd", "bzip2", "blosc_lz4", "blosc_zstd", "szip", None)
NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
CLASSIC_NUMBERS = ("i1", "i2", "i4", "f4", "f8")


def add_dimensions(dice, group):
    for name in "xyz":
        group.createDimension(name, dice.randint(16, 24))
    if dice.random() < 0.7:
        group.createDimension("time", None)
    if dice.random() < 0.3 and group.data_model == "NETCDF4":
        group.createDimension("other", None)


def variable_options(dice, dtype, dimensions):
    options = {"endian": dice.choice(("native", "little", "big"))}
    if dice.random() < 0.5:
        options["fill_value"] = dice.choice((np.dtype(dtype).type(99), False))
    if not dimensions or dice.random() < 0.3:
        return options
    options |= {"compression": dice.choice(COMPRESSIONS), "shuffle": dice.random() < 0.5}
    # Szip reads a few bytes past the end of what fletcher32 hands it: not the same twice, even natively.
    checked = options["compression"] != "szip" and dice.random() < 0.3
    options |= {"complevel": dice.randint(1, 9), "fletcher32": checked}
    if dtype[0] == "f" and dice.random() < 0.4:
        options |= {
            "significant_digits": dice.randint(1, 6),
            "quantize_mode": dice.choice(("BitGroom", "BitRound", "GranularBitRound")),
        }
    if dice.random() < 0.3:
        options["chunksizes"] = [dice.randint(8, 16) for _ in dimensions]
    return options


def add_variable(dice, group, name):
    every = list(group.dimensions) or list(group.parent.dimensions)
    names = [key for key in every if not key.startswith("of_") and dice.random() < 0.5]
    home = group if group.dimensions else group.parent
    dimensions = [home.dimensions[key] for key in names]
    dtype = dice.choice(NUMBERS if group.data_model == "NETCDF4" else CLASSIC_NUMBERS)
    options = variable_options(dice, dtype, dimensions)
    variable = group.createVariable(name, dtype, names, **options)
    shape = [3 if d.isunlimited() else len(d) for d in dimensions]
    generator = np.random.default_rng(dice.randrange(2**32))
    if dice.random() < 0.8:
        variable[:] = generator.integers(0, 2, shape).astype(dtype)  # blosc fails on noise
    add_attributes(dice, variable)


def add_attributes(dice, target):
    for i in range(dice.choice((0, 1, 4, 12))):
        value = dice.choice(("text", "ü" * 60, 3, 2.5, np.arange(4.0), np.arange(30, dtype="i2")))
        target.setncattr(f"attribute{i}", value)


def add_special(dice, group, name):
    kind = dice.choice(("string", "vlen", "compound", "enum", "char", "scalar string"))
    group.createDimension("of_" + name, 4)
    if kind == "string":
        strings = group.createVariable(name, str, ("of_" + name,))
        strings[:] = np.array(["a" * dice.randint(0, 50) for _ in range(4)], object)
    elif kind == "vlen":
        vlen = group.createVariable(name, group.createVLType("i4", "t_" + name), ("of_" + name,))
        for i in range(4):
            vlen[i] = np.arange(dice.randint(1, 200), dtype="i4")
    elif kind == "compound":
        dtype = np.dtype([("a", "i4"), ("b", "f8", (2,))], align=dice.random() < 0.5)
        compound = group.createCompoundType(dtype, "t_" + name)
        group.createVariable(name, compound, ("of_" + name,), zlib=True)[:] = np.zeros(4, dtype)
    elif kind == "enum":
        enum = group.createEnumType("u1", "t_" + name, {"clear": 0, "cloud": 7})
        group.createVariable(name, enum, ("of_" + name,), fill_value=7)[0] = 0
    elif kind == "char":
        group.createVariable(name, "S1", ("of_" + name,))[:] = np.array(list("text"), "S1")
    else:
        group.createVariable(name, str, ())[...] = "alone"


def write_file(number, dice):
    data_model = dice.choice(("NETCDF4", "NETCDF4", "NETCDF4", "NETCDF4_CLASSIC"))
    print(number, data_model)
    name = f"{number:03}.nc"
    with netCDF4.Dataset(name, "w", format=data_model) as file:
        file.set_fill_on() if dice.random() < 0.7 else file.set_fill_off()
        add_dimensions(dice, file)
        add_attributes(dice, file)
        groups = [file]
        for i in range(dice.randint(0, 4) if data_model == "NETCDF4" else 0):
            groups.append(dice.choice(groups).createGroup(f"group{i}"))
            add_dimensions(dice, groups[-1])
        for i in range(dice.randint(1, 8)):
            add_variable(dice, dice.choice(groups), f"variable{i}")
        for i in range(dice.randint(0, 4) if data_model == "NETCDF4" else 0):
            add_special(dice, dice.choice(groups), f"special{i}")
    if dice.random() < 0.5:
        change_again(dice, name)


def change_again(dice, name):
    with netCDF4.Dataset(name, "a") as file:
        add_variable(dice, file, "later")
        file.renameDimension("x", "renamed")
        file.history = "changed"
        for variable in file.variables.values():
            if "time" in variable.dimensions[:1] and dice.random() < 0.5:
                variable[variable.shape[0]] = 1


def main():
    seed, count = sys.argv[1:]
    for number in range(int(count)):
        try:
            write_file(number, random.Random(f"{seed}-{number}"))
        # Dice may ask for what netCDF refuses, which must be refused equally.
        except Exception as error:  # noqa: BLE001
            print(number, "refused", type(error).__name__, error)


if __name__ == "__main__":
    main()
