"""References of every kind, in data and in attributes, lead in the carved copy where they led before."""

import ctypes
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import hdf5, library_of_h5py, refuses
from kept_items import NUMBERS, Carved, Checks, carved_in_both_ways, items_in


def object_references(path: Path) -> Checks:
    reference = h5py.ref_dtype
    kinds = {
        "compound": np.dtype([("n", "i4"), ("to", reference)]),
        "array": np.dtype((reference, (2,))),
        "vlen": h5py.vlen_dtype(reference),
    }
    with h5py.File(path, "w") as f:
        f["target"] = f["unread"] = NUMBERS
        group, target = f.create_group("group").ref, f["target"].ref
        null = h5py.Reference()
        f["kept plain"] = np.array([target, group, null], reference)
        f.create_dataset("kept compound", (2,), kinds["compound"])[...] = np.array(
            [(1, target), (2, null)], kinds["compound"]
        )
        f.create_dataset("kept array", (1,), kinds["array"])[...] = np.array(
            [[group, target]], reference
        )
        lists = f.create_dataset("kept vlen", (2,), kinds["vlen"])
        lists[0] = np.array([target, null, group], reference)
        f.attrs.create("one", target, dtype=reference)
        f["group"].attrs.create("some", [null, group], dtype=reference)
    copy = yield []
    with h5py.File(copy) as f:
        group, target = f["group"], f["target"]

        def lead_to(references: object, *places: object) -> bool:
            found = [f[one] if one else None for one in references]
            return len(found) == len(places) and all(a == b for a, b in zip(found, places))

        assert lead_to(f["kept plain"][...], target, group, None)
        assert lead_to(f["kept compound"]["to"], target, None)
        assert lead_to(f["kept array"][0], group, target)
        assert lead_to(f["kept vlen"][0], target, None, group) and len(f["kept vlen"][1]) == 0
        assert lead_to([f.attrs["one"]], target)
        assert lead_to(f["group"].attrs["some"], None, group)
        # What is kept refers to it.
        assert (target[...] == NUMBERS).all() and refuses(f["unread"])


def region_references(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        f["target"] = f["unread"] = NUMBERS
        block, points = f["target"].regionref[2:5, 1:9:2], f["target"].regionref[NUMBERS % 77 == 0]
        f["kept"] = np.array([block, points, h5py.RegionReference()], h5py.regionref_dtype)
        kind = np.dtype([("n", "i4"), ("to", h5py.regionref_dtype)])
        f.create_dataset("kept compound", (1,), kind)[...] = np.array([(1, block)], kind)
        f.attrs.create("one", points, dtype=h5py.regionref_dtype)
    copy = yield []
    with h5py.File(copy) as f:
        block, points, null = f["kept"][...]
        assert not null
        for one in (block, points, f["kept compound"]["to"][0], f.attrs["one"]):
            assert f[one] == f["target"]
        assert f["target"].regionref.selection(block) == (3, 4)
        assert (f["target"][block] == NUMBERS[2:5, 1:9:2]).all()
        for one in (points, f.attrs["one"]):
            assert list(f["target"][one]) == [n for n in range(600) if n % 77 == 0]
        assert refuses(f["unread"])


class Sequence(ctypes.Structure):
    """hvl_t"""

    _fields_ = [("length", ctypes.c_size_t), ("start", ctypes.c_void_p)]


REGIONS = (((2, 1), (4, 8)), ((4, 0), (6, 7)))  # corners


def lead_to_regions(f: h5py.File, references: bytes) -> bool:
    """Two of hdset_reg_ref_t."""
    target = f["target"]
    for number, corners in enumerate(REGIONS):
        one = ctypes.create_string_buffer(references[12 * number : 12 * number + 12], 12)
        space = hdf5("H5Rget_region", f.id.id, 1, one, gives=ctypes.c_int64)
        leads_to = hdf5("H5Rdereference2", f.id.id, 0, 1, one, gives=ctypes.c_int64)
        assert h5py.h5s.SpaceID(space).get_select_bounds() == corners
        assert h5py.Dataset(h5py.h5d.DatasetID(leads_to)) == target
    return True


def region_references_inside_others(path: Path) -> Checks:
    """Two in a compound, an array and a value of variable length; of datasets, and of attributes.

    With HDF5's own calls: h5py 3.16 crashes when it reads such values.
    """
    region = h5py.h5t.STD_REF_DSETREG
    compound = h5py.h5t.create(h5py.h5t.COMPOUND, 32)
    compound.insert(b"n", 0, h5py.h5t.NATIVE_INT64)
    compound.insert(b"to", 8, region)
    compound.insert(b"too", 20, region)
    kinds = {
        b"kept compound": compound,
        b"kept array": h5py.h5t.array_create(region, (2,)),
        b"kept vlen": h5py.h5t.vlen_create(region),
    }
    with h5py.File(path, "w") as f:
        f["target"] = f["unread"] = NUMBERS
        one, holder, two = (
            h5py.h5s.create_simple((1,)),
            f["unread"],
            ctypes.create_string_buffer(24),
        )
        for number, (first, last) in enumerate(REGIONS):
            space = f["target"].id.get_space()
            space.select_hyperslab(first, tuple(b - a + 1 for a, b in zip(first, last)))
            place = ctypes.byref(two, 12 * number)
            hdf5("H5Rcreate", place, f.id.id, b"/target", 1, space.id)
        values = {
            b"kept compound": (7).to_bytes(8, "little") + two.raw,
            b"kept array": two.raw,
            b"kept vlen": ctypes.byref(Sequence(2, ctypes.addressof(two))),
        }
        for name, kind in kinds.items():
            data = h5py.h5d.create(f.id, name, kind, one)
            hdf5("H5Dwrite", data.id, kind.id, 0, 0, 0, values[name])
            attribute = h5py.h5a.create(holder.id, name, kind, one)
            hdf5("H5Awrite", attribute.id, kind.id, values[name])
    copy = yield []
    with h5py.File(copy) as f:
        holder = f["unread"]
        for name, kind in kinds.items():
            data, attribute = h5py.h5d.open(f.id, name), h5py.h5a.open(holder.id, name)
            of_data, of_attribute = (ctypes.create_string_buffer(32) for _ in range(2))
            hdf5("H5Dread", data.id, kind.id, 0, 0, 0, of_data)
            hdf5("H5Aread", attribute.id, kind.id, of_attribute)
            for read in (of_data, of_attribute):
                if name == b"kept vlen":
                    sequence = Sequence.from_buffer(read)
                    assert sequence.length == 2
                    assert lead_to_regions(f, ctypes.string_at(sequence.start, 24))
                else:
                    assert lead_to_regions(f, read.raw[kind.get_size() - 24 :])
                    assert name == b"kept array" or read.raw[:8] == (7).to_bytes(8, "little")
        assert (f["target"][...] == NUMBERS).all() and refuses(f["unread"])


def new_references(count: int) -> ctypes.Array:
    """An array of H5R_ref_t."""
    return (ctypes.c_char * 64 * count)()


def references_of_the_newer_kind(path: Path) -> Checks:
    library_of_h5py()
    kind = ctypes.c_int64.in_dll(library_of_h5py(), "H5T_STD_REF_g").value
    references = new_references(4)
    with h5py.File(path, "w", libver="v112") as f:
        f["target"] = f["unread"] = NUMBERS
        f["target"].attrs["unit"] = "m"
        space = f["target"].id.get_space()
        space.select_hyperslab((2, 1), (3, 8))
        hdf5("H5Rcreate_object", f.id.id, b"/target", 0, references[0])
        hdf5("H5Rcreate_region", f.id.id, b"/target", space.id, 0, references[1])
        hdf5("H5Rcreate_attr", f.id.id, b"/target", b"unit", 0, references[2])
        line = h5py.h5s.create_simple((4,))
        made = hdf5("H5Dcreate2", f.id.id, b"kept", kind, line.id, 0, 0, 0, gives=ctypes.c_int64)
        hdf5("H5Dwrite", made, kind, 0, 0, 0, references)
        hdf5("H5Dclose", made)
        made = hdf5("H5Acreate2", f.id.id, b"to", kind, line.id, 0, 0, gives=ctypes.c_int64)
        hdf5("H5Awrite", made, kind, references)
        hdf5("H5Aclose", made)
        for one in references[:3]:
            hdf5("H5Rdestroy", one)
    copy = yield []
    with h5py.File(copy) as f:
        for open_one, name, read, close in (
            ("H5Dopen2", b"kept", lambda i, to: hdf5("H5Dread", i, kind, 0, 0, 0, to), "H5Dclose"),
            ("H5Aopen", b"to", lambda i, to: hdf5("H5Aread", i, kind, to), "H5Aclose"),
        ):
            holder = hdf5(open_one, f.id.id, name, 0, gives=ctypes.c_int64)
            references = new_references(4)
            read(holder, references)
            hdf5(close, holder)
            # H5R_OBJECT2, H5R_DATASET_REGION2, H5R_ATTR
            assert [hdf5("H5Rget_type", one) for one in references[:3]] == [2, 3, 4]
            assert bytes(references[3]) == bytes(64), "null"
            for one in references[:3]:
                text = ctypes.create_string_buffer(100)
                hdf5("H5Rget_obj_name", one, 0, text, 100)
                assert text.value == b"/target"
                opened = hdf5("H5Ropen_object", one, 0, 0, gives=ctypes.c_int64)
                assert h5py.Dataset(h5py.h5d.DatasetID(opened)) == f["target"]
            text = ctypes.create_string_buffer(100)
            hdf5("H5Rget_attr_name", references[2], text, 100)
            assert text.value == b"unit"
            space = hdf5("H5Ropen_region", references[1], 0, 0, gives=ctypes.c_int64)
            assert h5py.h5s.SpaceID(space).get_select_bounds() == ((2, 1), (4, 8))
            for one in references[:3]:
                hdf5("H5Rdestroy", one)
        assert (f["target"][...] == NUMBERS).all() and refuses(f["unread"])


def make_of_every_kind(f: h5py.File) -> ctypes.Array:
    """References of the newer kind to an object, a region, an attribute and a group."""
    references = new_references(4)
    space = f["target"].id.get_space()
    space.select_hyperslab((2, 1), (3, 8))
    hdf5("H5Rcreate_object", f.id.id, b"/target", 0, references[0])
    hdf5("H5Rcreate_region", f.id.id, b"/target", space.id, 0, references[1])
    hdf5("H5Rcreate_attr", f.id.id, b"/target", b"unit", 0, references[2])
    hdf5("H5Rcreate_object", f.id.id, b"/group", 0, references[3])
    return references


def are_of_every_kind(references: ctypes.Array) -> bool:
    names = []
    for one in references:
        text = ctypes.create_string_buffer(100)
        hdf5("H5Rget_obj_name", one, 0, text, 100)
        names.append(text.value)
    attribute = ctypes.create_string_buffer(100)
    hdf5("H5Rget_attr_name", references[2], attribute, 100)
    region = hdf5("H5Ropen_region", references[1], 0, 0, gives=ctypes.c_int64)
    bounds = h5py.h5s.SpaceID(region).get_select_bounds()
    for one in references:
        hdf5("H5Rdestroy", one)
    assert names == [b"/target"] * 3 + [b"/group"]
    return attribute.value == b"unit" and bounds == ((2, 1), (4, 8))


def references_of_the_newer_kind_inside_others(path: Path) -> Checks:
    """In a compound with something between them, an array and values of variable length; of datasets, and of attributes."""
    kind = ctypes.c_int64.in_dll(library_of_h5py(), "H5T_STD_REF_g").value
    compound = hdf5("H5Tcreate", 6, 4 * 64 + 8, gives=ctypes.c_int64)
    number = h5py.h5t.NATIVE_INT64.id
    offsets = {b"a": 0, b"b": 64, b"c": 136, b"d": 200}
    for member, offset in offsets.items():
        hdf5("H5Tinsert", compound, member, offset, kind)
    hdf5("H5Tinsert", compound, b"n", 128, number)
    array = hdf5("H5Tarray_create2", kind, 1, (ctypes.c_uint64 * 1)(4), gives=ctypes.c_int64)
    vlen = hdf5("H5Tvlen_create", kind, gives=ctypes.c_int64)
    with h5py.File(path, "w", libver="v112") as f:
        f["target"] = f["unread"] = NUMBERS
        f["target"].attrs["unit"] = "m"
        f.create_group("group")
        references, holder = make_of_every_kind(f), f["unread"]
        one = h5py.h5s.create_simple((1,))
        raw = bytes(references)
        mixed = raw[:128] + (77).to_bytes(8, "little") + raw[128:]
        start = ctypes.cast(references, ctypes.c_void_p).value
        for name, of, data in (
            (b"kept compound", compound, mixed),
            (b"kept array", array, raw),
            (b"kept vlen", vlen, ctypes.byref(Sequence(4, start))),
        ):
            new = hdf5("H5Dcreate2", f.id.id, name, of, one.id, 0, 0, 0, gives=ctypes.c_int64)
            hdf5("H5Dwrite", new, of, 0, 0, 0, data)
            hdf5("H5Dclose", new)
            new = hdf5("H5Acreate2", holder.id.id, name, of, one.id, 0, 0, gives=ctypes.c_int64)
            hdf5("H5Awrite", new, of, data)
            hdf5("H5Aclose", new)
        for held in references:
            hdf5("H5Rdestroy", held)
    copy = yield []
    with h5py.File(copy) as f:
        holder = f["unread"]

        def read_data(name: bytes, of: int, to: object) -> None:
            opened = hdf5("H5Dopen2", f.id.id, name, 0, gives=ctypes.c_int64)
            hdf5("H5Dread", opened, of, 0, 0, 0, to)
            hdf5("H5Dclose", opened)

        def read_attribute(name: bytes, of: int, to: object) -> None:
            opened = hdf5("H5Aopen", holder.id.id, name, 0, gives=ctypes.c_int64)
            hdf5("H5Aread", opened, of, to)
            hdf5("H5Aclose", opened)

        for read in (read_data, read_attribute):
            mixed = ctypes.create_string_buffer(4 * 64 + 8)
            read(b"kept compound", compound, mixed)
            assert mixed.raw[128:136] == (77).to_bytes(8, "little")
            found = new_references(4)
            ctypes.memmove(found, mixed.raw[:128] + mixed.raw[136:], 256)
            assert are_of_every_kind(found)
            read(b"kept array", array, found)
            assert are_of_every_kind(found)
            sequence = Sequence()
            read(b"kept vlen", vlen, ctypes.byref(sequence))
            assert sequence.length == 4
            assert are_of_every_kind((ctypes.c_char * 64 * 4).from_address(sequence.start))
        assert (f["target"][...] == NUMBERS).all() and refuses(f["unread"])


ITEMS = items_in(sys.modules[__name__])
carved = carved_in_both_ways(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_is_kept(item: str, carved: Carved) -> None:
    carved.check(item)
