"""What netCDF-4 writes beside the data is in the carved copy, one file for each thing.

Why each of these has to stay is in docs/formats/netcdf4-in-hdf5.md.
"""

import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from kept_items import NUMBERS, Carved, Checks, carved_in_both_ways, items_in

NOT_A_VARIABLE = b"This is a netCDF dimension but not a netCDF variable."


def fill(d: netCDF4.Dataset, **settings: object) -> None:
    """The same variable twice, of which one is to be hollow."""
    for name, size in zip(("y", "x"), NUMBERS.shape):
        if name not in d.dimensions:
            d.createDimension(name, size)
    for name in ("kept", "unread"):
        d.createVariable(name, "i4", ("y", "x"), **settings)[:] = NUMBERS


def check_data(copy: Path) -> None:
    with netCDF4.Dataset(copy) as d:
        assert (d["kept"][:] == NUMBERS).all()
        with pytest.raises(RuntimeError):
            d["unread"][:]


def class_and_name_of_scales(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
        d.createDimension("only", 3)
        d.createVariable("x", "f4", ("x",))[:] = 1
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("y", "x", "only"):
            assert f[name].attrs["CLASS"] == b"DIMENSION_SCALE"
        assert f["x"].attrs["NAME"] == b"x"
        assert f["only"].attrs["NAME"].startswith(NOT_A_VARIABLE)
        assert f["only"].attrs["NAME"].split() == [*NOT_A_VARIABLE.split(), b"3"]
    with netCDF4.Dataset(copy) as d:
        assert sorted(d.variables) == ["kept", "unread", "x"]
        assert {name: one.size for name, one in d.dimensions.items()} == {
            "y": 20,
            "x": 30,
            "only": 3,
        }
    check_data(copy)


def axes_and_scales_know_each_other(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
        d.createGroup("deep").createVariable("unread", "f4", ("y", "x"))[:] = 1
        d.createVariable("square", "i2", ("x", "x"))
    copy = yield []
    with h5py.File(copy) as f:
        lists = {name: f[name].attrs["REFERENCE_LIST"] for name in ("y", "x")}
        found = {
            (name, f[reference].name, int(axis))
            for name, entries in lists.items()
            for reference, axis in entries
        }
        variables = ("/kept", "/unread", "/deep/unread")
        assert found == {
            *((axis, name, at) for name in variables for at, axis in enumerate(("y", "x"))),
            ("x", "/square", 0),
            ("x", "/square", 1),
        }
        for name in variables:
            named = [f[one[0]] for one in f[name].attrs["DIMENSION_LIST"]]
            assert named == [f["y"], f["x"]]
    with netCDF4.Dataset(copy) as d:
        assert d["deep/unread"].dimensions == ("y", "x") and d["square"].dimensions == ("x", "x")
    check_data(copy)


def numbers_of_dimensions(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 30)
        d.createDimension("unused", 2)
        fill(d)
    copy = yield []
    with h5py.File(copy) as f:
        numbers = {name: int(f[name].attrs["_Netcdf4Dimid"]) for name in ("x", "unused", "y")}
        assert numbers == {"x": 0, "unused": 1, "y": 2}
        for name in ("kept", "unread"):
            assert list(f[name].attrs["_Netcdf4Coordinates"]) == [2, 0]
    with netCDF4.Dataset(copy) as d:
        assert list(d.dimensions) == ["x", "unused", "y"]
        assert d["unread"].dimensions == ("y", "x")
    check_data(copy)


def coordinates_of_two_dimensions(path: Path) -> Checks:
    """A scale has no scales of its own: only numbers tell what its axes are."""
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 30)
        d.createDimension("other", 30)
        fill(d)
        d.createVariable("y", "i4", ("y", "other"))[:] = NUMBERS
    copy = yield []
    with h5py.File(copy) as f:
        assert f["y"].attrs["CLASS"] == b"DIMENSION_SCALE"
        assert "DIMENSION_LIST" not in f["y"].attrs
        assert list(f["y"].attrs["_Netcdf4Coordinates"]) == [2, 1]
        assert f["kept"].dims[0][0] == f["unread"].dims[0][0] == f["y"]
    with netCDF4.Dataset(copy) as d:
        assert d["y"].dimensions == ("y", "other") and (d["y"][:] == NUMBERS).all()
        assert d["unread"].dimensions == d["kept"].dimensions == ("y", "x")
    check_data(copy)


def scales_without_numbers(path: Path) -> Checks:
    """As programs make them that know HDF5 but not netCDF."""
    with h5py.File(path, "w") as f:
        for name, size in (("y", 20), ("x", 30)):
            f[name] = np.arange(size)
            f[name].make_scale(name)
        for name in ("kept", "unread"):
            f[name] = NUMBERS
            f[name].dims[0].attach_scale(f["y"])
            f[name].dims[1].attach_scale(f["x"])
    copy = yield []
    with h5py.File(copy) as f:
        for name in f:
            assert not {"_Netcdf4Dimid", "_Netcdf4Coordinates"} & set(f[name].attrs)
    with netCDF4.Dataset(copy) as d:
        assert d["unread"].dimensions == d["kept"].dimensions == ("y", "x")
    check_data(copy)


def phony_dimensions(path: Path) -> Checks:
    with h5py.File(path, "w", track_order=True) as f:
        f["first"] = np.arange(5)
        f["unread"] = f["kept"] = NUMBERS
        f["square"] = np.ones((5, 5))
    copy = yield []
    with netCDF4.Dataset(path) as old, netCDF4.Dataset(copy) as new:
        sizes = [{name: one.size for name, one in d.dimensions.items()} for d in (old, new)]
        assert sizes[0] == sizes[1] and "phony_dim_0" in sizes[0]
        for name in old.variables:
            assert new[name].dimensions == old[name].dimensions
    check_data(copy)


def the_classic_model(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as d:
        fill(d)
    copy = yield []
    with h5py.File(copy) as f:
        assert f.attrs["_nc3_strict"] == 1
    with netCDF4.Dataset(copy) as d:
        assert d.data_model == "NETCDF4_CLASSIC"
    with netCDF4.Dataset(copy, "a") as d, pytest.raises(RuntimeError, match="strict nc3"):
        d.createGroup("not in this one")
    check_data(copy)


def who_wrote_the_file(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
    copy = yield []
    with h5py.File(path) as old, h5py.File(copy) as new:
        assert new.attrs["_NCProperties"] == old.attrs["_NCProperties"]
        assert b"netcdf=" in np.bytes_(new.attrs["_NCProperties"])
    check_data(copy)


def variables_with_the_name_of_a_dimension(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
        d.createDimension("pair", 2)
        d.createVariable("pair", "i4", ("x",))[:] = np.arange(30)
    copy = yield ["_nc4_non_coord_pair"]
    with h5py.File(copy) as f:
        assert {"pair", "_nc4_non_coord_pair"} <= set(f)
    with netCDF4.Dataset(copy) as d:
        assert d["pair"].dimensions == ("x",) and (d["pair"][:] == np.arange(30)).all()
    check_data(copy)


def order_of_variables_and_attributes(path: Path) -> Checks:
    names = [f"v{number * 7 % 20}" for number in range(20)]
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
        for name in names:
            variable = d.createVariable(name, "i4", ("y",))
            variable.setncatts({other: 1 for other in names})
        d.setncatts({other: 1 for other in names})
    copy = yield ["v3"]
    with netCDF4.Dataset(path) as old, netCDF4.Dataset(copy) as new:
        assert list(new.variables) == list(old.variables) == ["kept", "unread", *names]
        for name in names:
            assert new[name]._varid == old[name]._varid
            assert new[name].ncattrs() == names
        assert new.ncattrs() == names
    check_data(copy)


def types_of_the_user(path: Path) -> Checks:
    pair = np.dtype([("a", "i4"), ("b", "f8")])
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
        kinds = {
            "enum": (d.createEnumType("u1", "enum_t", {"no": 0, "yes": 1}), np.ones(30, "u1")),
            "compound": (d.createCompoundType(pair, "pair_t"), np.full(30, 1, pair)),
            "unused": (d.createCompoundType(np.dtype([("z", "i2")]), "unused_t"), None),
        }
        ragged = d.createVLType("i4", "ragged_t")
        for name in ("kept", "unread"):
            for label, (kind, values) in kinds.items():
                if values is not None:
                    d.createVariable(f"{name}_{label}", kind, ("x",))[:] = values
            lists = d.createVariable(f"{name}_ragged", ragged, ("x",))
            for at in range(30):
                lists[at] = np.arange(at % 4, dtype="i4")
            words = d.createVariable(f"{name}_words", str, ("x",))
            for at in range(30):
                words[at] = f"word {at}"
    copy = yield []
    with h5py.File(path) as old, h5py.File(copy) as new:
        for name in ("enum_t", "pair_t", "unused_t", "ragged_t"):
            assert isinstance(new[name], h5py.Datatype)
        for name in ("kept_enum", "kept_compound", "kept_ragged", "unread_compound"):
            kinds = [f[name].id.get_type() for f in (old, new)]
            assert kinds[0].committed() == kinds[1].committed() and kinds[0].equal(kinds[1])
    with netCDF4.Dataset(copy) as d:
        assert d.enumtypes["enum_t"].enum_dict == {"no": 0, "yes": 1}
        assert list(d.cmptypes) == ["pair_t", "unused_t"] and list(d.vltypes) == ["ragged_t"]
        assert (d["kept_enum"][:] == 1).all()
        assert d["kept_compound"][3]["b"] == 1
        assert list(d["kept_ragged"][7]) == [0, 1, 2] and d["kept_words"][29] == "word 29"
        for name in ("enum", "compound", "ragged"):
            with pytest.raises(RuntimeError):
                d[f"unread_{name}"][:]
        # netCDF gives strings a fill value, which no list of properties can hold.
        assert d["unread_words"][29] == "word 29"
    check_data(copy)


def unlimited_dimensions(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("y", None)
        fill(d)
    copy = yield []
    with h5py.File(copy) as f:
        assert f["kept"].maxshape == f["unread"].maxshape == (None, 30)
    with netCDF4.Dataset(copy) as d:
        assert d.dimensions["y"].isunlimited() and not d.dimensions["x"].isunlimited()
    check_data(copy)


def fill_values(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        fill(d, fill_value=-7)
        d.createVariable("kept_usual", "f4", ("x",))[:3] = 1
        d.createVariable("kept_none", "f4", ("x",), fill_value=False)[:] = 2
    copy = yield []
    with h5py.File(copy) as f:
        assert f["kept"].attrs["_FillValue"] == f["unread"].attrs["_FillValue"] == -7
        assert f["kept"].fillvalue == -7 and f["kept_usual"].fillvalue > 9e36
    with netCDF4.Dataset(copy) as d:
        assert d["unread"]._FillValue == -7
        assert d["kept_usual"][:].mask.sum() == 27
    check_data(copy)


def byte_order(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 30)
        d.createDimension("y", 20)
        for name in ("kept", "unread"):
            d.createVariable(name, ">i4", ("y", "x"), endian="big")[:] = NUMBERS
        d.createVariable("kept_little", "i2", ("x",), endian="little")[:] = np.arange(30)
    copy = yield []
    with netCDF4.Dataset(copy) as d:
        assert d["kept"].endian() == d["unread"].endian() == "big"
        assert d["kept_little"].endian() == "little" and d["kept_little"][29] == 29
    check_data(copy)


def quantization(path: Path) -> Checks:
    modes = {
        "BitGroom": ("_QuantizeBitGroomNumberOfSignificantDigits", 3),
        "GranularBitRound": ("_QuantizeGranularBitRoundNumberOfSignificantDigits", 4),
        "BitRound": ("_QuantizeBitRoundNumberOfSignificantBits", 9),
    }
    with netCDF4.Dataset(path, "w") as d:
        fill(d)
        for mode, (_, digits) in modes.items():
            settings = {"significant_digits": digits, "quantize_mode": mode, "zlib": True}
            for name in (f"kept_{mode}", f"unread_{mode}"):
                d.createVariable(name, "f4", ("x",), **settings)[:] = np.arange(30) / 7
    copy = yield []
    for mode, (attribute, digits) in modes.items():
        with h5py.File(copy) as f, h5py.File(path) as old:
            for name in (f"kept_{mode}", f"unread_{mode}"):
                assert f[name].attrs[attribute] == digits
            assert (f[f"kept_{mode}"][:] == old[f"kept_{mode}"][:]).all()
        with netCDF4.Dataset(copy) as d:
            for name in (f"kept_{mode}", f"unread_{mode}"):
                assert d[name].quantization() == (digits, mode)
            assert abs(d[f"kept_{mode}"][:] - np.arange(30) / 7).max() < 0.01
            with pytest.raises(RuntimeError):
                d[f"unread_{mode}"][:]
    check_data(copy)


def what_is_kept_can_be_written_to(path: Path) -> Checks:
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("y", None)
        fill(d, zlib=True)
        d.createVariable("y", "f8", ("y",))[:] = np.arange(20)
    copy = yield ["y"]
    with netCDF4.Dataset(copy, "a") as d:
        d["kept"][3, 4] = -1
        d["kept"][20] = np.full(30, 5)
        d["y"][20] = 20.5
        d["kept"].note = "appended"
        d.createVariable("new", "f4", ("y", "x"))[:] = 1
        assert d["kept"].shape == (21, 30) and d["kept"][3, 4] == -1
        for change in (lambda v: v.__setitem__((3, 4), 1), lambda v: v.__setitem__(20, 1)):
            with pytest.raises(RuntimeError):
                change(d["unread"])
                d.sync()
    with netCDF4.Dataset(copy) as d:
        assert (d["kept"][20] == 5).all() and d["y"][20] == 20.5
        assert (d["kept"][4:20] == NUMBERS[4:]).all() and (d["y"][:20] == np.arange(20)).all()
        assert d["kept"].note == "appended" and (d["new"][:] == 1).all()
        # It has not become a variable of zeros.
        with pytest.raises(RuntimeError):
            d["unread"][:]


ITEMS = items_in(sys.modules[__name__])
carved = carved_in_both_ways(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_is_kept(item: str, carved: Carved) -> None:
    carved.check(item)
