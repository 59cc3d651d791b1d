"""What HDF5 files hold is in the carved copy, one file for each thing: links, types, references, attributes.

How data is stored is in test_carve_keeps_storage.py, what netCDF needs in test_carve_keeps_netcdf.py. Links of
a kind of one's own are in test_verify.py, external storage and virtual datasets with their sources in
test_carve.py.
"""

import ctypes
import json
import random
import struct
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import carve, copy_of, hdf5, library_of_h5py, refuses, run
from kept_items import NUMBERS, Carved, Checks, add, carved_in_both_ways, items_in, made

from cli import compile_c, quarry

# Links


def hard_links(path: Path) -> Checks:
    values = np.random.default_rng(1).random(20000)
    with h5py.File(path, "w") as f:
        for first, group in (("used", "many"), ("unread", "few")):
            f[first] = values
            for number in range(4):
                f[f"{group}/{number}"] = f[first]
    copy = yield ["many/2"]
    with h5py.File(copy) as f:
        for first, group in (("used", "many"), ("unread", "few")):
            assert all(f[f"{group}/{number}"] == f[first] for number in range(4))
            assert h5py.h5o.get_info(f[first].id).rc == 5
        assert (f["many/3"][...] == values).all() and refuses(f["few/1"])
    assert copy.stat().st_size < 250_000, "one copy of 160,000 bytes"


def counts_without_links(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        add(f)
        f.create_group("group")
        for name, more in (("kept", 1), ("unread", 3), ("group", 2)):
            counted = f[name]
            for _ in range(more):
                hdf5("H5Oincr_refcount", counted.id.id)
    copy = yield []
    with h5py.File(copy) as f:
        counts = {name: h5py.h5o.get_info(f[name].id).rc for name in f}
        assert counts == {"kept": 2, "unread": 4, "group": 3}
        assert refuses(f["unread"])


def soft_external_and_dangling_links(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        f["used"] = NUMBERS
        f["unread"] = NUMBERS
        f["links/soft"] = h5py.SoftLink("/used")
        f["links/beside"] = h5py.SoftLink("soft")
        f["links/dangling"] = h5py.SoftLink("/not/there")
        f["links/outside"] = h5py.ExternalLink("gone.h5", "/deep/x")
        f["links/itself"] = h5py.SoftLink("/links/itself")
        f["links/ünïcode"] = h5py.SoftLink("/sömewhere")
    copy = yield ["links/beside"]
    with h5py.File(copy) as f:
        links = {name: f["links"].get(name, getlink=True) for name in f["links"]}
        outside = links.pop("outside")
        assert (outside.filename, outside.path) == ("gone.h5", "/deep/x")
        assert {name: link.path for name, link in links.items()} == {
            "soft": "/used",
            "beside": "soft",
            "dangling": "/not/there",
            "itself": "/links/itself",
            "ünïcode": "/sömewhere",
        }
        assert (f["links/beside"][...] == NUMBERS).all() and refuses(f["unread"])


def cycles_of_groups(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        f["a/b/used"] = f["a/unread"] = NUMBERS
        f["a/b/up"] = f["a"]
        f["a/b/itself"] = f["a/b"]
        f["a/root"] = f["/"]
    copy = yield ["a/root/a/b/up/b/used"]
    with h5py.File(copy) as f:
        assert f["a/b/up"] == f["a"] and f["a/b/itself"] == f["a/b"] and f["a/root"] == f["/"]
        assert (f["a/b/itself/up/root/a/b/used"][...] == NUMBERS).all() and refuses(f["a/unread"])


def order_of_links(path: Path) -> Checks:
    names = {
        group: [f"{n * 7 % size}" for n in range(size)]
        for group, size in (("few", 3), ("many", 29))
    }
    with h5py.File(path, "w", libver="v110") as f:
        for group, some in names.items():
            f.create_group(group, track_order=True)
            f.create_group(f"sorted {group}")
            for name in some:
                f[f"{group}/{name}"] = f[f"sorted {group}/{name}"] = NUMBERS
    copy = yield ["few/1"]
    with h5py.File(copy) as f:
        for group, some in names.items():
            assert list(f[group]) == some and list(f[f"sorted {group}"]) == sorted(some)
        assert (f["few/1"][...] == NUMBERS).all() and refuses(f["few/2"])


def order_of_links_as_stored(path: Path) -> Checks:
    steps, many = ["step3", "step1", "step2"], [f"{n * 7 % 29}" for n in range(29)]
    with h5py.File(path, "w", libver="v110") as f:
        for group, some in (("few", steps), ("many", many), ("fewer", many)):
            for name in some:
                f[f"{group}/{name}"] = NUMBERS
        # There were so many once that they are not in the header any more.
        for name in many[:22]:
            del f[f"fewer/{name}"]
    copy = yield ["few/step1"]
    with h5py.File(copy) as f, h5py.File(path) as old:
        for group in ("few", "many", "fewer"):
            new, seen = f[group], old[group]
            names = {new: [], seen: []}
            for opened, listed in names.items():
                opened.id.links.iterate(listed.append, order=h5py.h5.ITER_NATIVE)
            assert names[new] == names[seen] != sorted(names[seen])
        assert (f["few/step1"][...] == NUMBERS).all() and refuses(f["few/step2"])


# Types


def place(kind: h5py.h5t.TypeID) -> int:
    return h5py.h5o.get_info(kind).addr


def shared_named_types(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        f["types/pair"] = np.dtype([("a", "i4"), ("b", "f8")])
        f["same"] = f["types/pair"].dtype
        for name in ("used", "unread"):
            f.create_dataset(name, (400,), f["types/pair"])[...] = (1, 2)
        f["used"].attrs.create("shares", np.zeros((), f["types/pair"].dtype), dtype=f["types/pair"])
        f["alias"] = f["types/pair"]
        # Nobody has a name for this one any more, but two share it.
        f["passing"] = np.dtype("f4")
        for name in ("one", "two"):
            f.create_dataset(name, (9,), f["passing"])
        del f["passing"]
    copy = yield ["used"]
    with h5py.File(copy) as f:
        named = f["types/pair"]
        kinds = [f["used"].id.get_type(), f["unread"].id.get_type()]
        kinds.append(f["used"].attrs.get_id("shares").get_type())
        kinds.append(f["alias"].id)
        assert {place(kind) for kind in kinds} == {place(named.id)} != {place(f["same"].id)}
        assert h5py.h5o.get_info(named.id).rc == 5
        one, two = (f[name].id.get_type() for name in ("one", "two"))
        assert one.committed() and place(one) == place(two)
        assert f["used"][399]["b"] == 2 and refuses(f["unread"])


def character_sets_and_padding(path: Path) -> Checks:
    ways = [
        (padding, characters)
        for padding in (h5py.h5t.STR_NULLTERM, h5py.h5t.STR_NULLPAD, h5py.h5t.STR_SPACEPAD)
        for characters in (h5py.h5t.CSET_ASCII, h5py.h5t.CSET_UTF8)
    ]
    with h5py.File(path, "w") as f:
        for number, (padding, characters) in enumerate(ways):
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(5)
            kind.set_strpad(padding)
            kind.set_cset(characters)
            for name in ("kept", "unread"):
                texts = made(f, f"{name} {number}", kind)
                texts.id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.full((20, 30), b"word", "S5"), kind)
            space = h5py.h5s.create(h5py.h5s.SCALAR)
            h5py.h5a.create(f.id, b"%d" % number, kind, space).write(np.array(b"text", "S5"), kind)
    copy = yield []
    with h5py.File(copy) as f:
        for number, way in enumerate(ways):
            for holder in (f[f"kept {number}"].id, f[f"unread {number}"].id):
                kind = holder.get_type()
                assert (kind.get_strpad(), kind.get_cset()) == way
            kind = f.attrs.get_id(str(number)).get_type()
            assert (kind.get_strpad(), kind.get_cset()) == way
            assert f[f"kept {number}"][3, 4].rstrip() == b"word" and refuses(f[f"unread {number}"])


def enum_opaque_and_bitfield(path: Path) -> Checks:
    opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 4)
    opaque.set_tag(b"ours")
    bits = h5py.h5t.STD_B16BE.copy()
    hdf5("H5Tset_precision", bits.id, 9)
    hdf5("H5Tset_offset", bits.id, 3)
    with h5py.File(path, "w") as f:
        colors = h5py.enum_dtype({"red": 0, "blue": 5, "green": 3}, "u1")
        for name in ("kept", "unread"):
            f.create_dataset(f"{name} enum", data=np.full((20, 30), 5, "u1"), dtype=colors)
            for kind, label in ((opaque, "opaque"), (bits, "bits")):
                data = np.full((20, 30 * kind.get_size()), 3, "u1")
                made(f, f"{name} {label}", kind).id.write(h5py.h5s.ALL, h5py.h5s.ALL, data, kind)
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        assert h5py.check_enum_dtype(f["kept enum"].dtype) == {"red": 0, "blue": 5, "green": 3}
        assert (f["kept enum"][...] == 5).all() and refuses(f["unread enum"])
        for name in ("kept", "unread"):
            assert f[f"{name} opaque"].id.get_type().get_tag() == b"ours"
            kind = f[f"{name} bits"].id.get_type()
            assert kind.equal(bits) and hdf5("H5Tget_precision", kind.id) == 9
        for name in ("kept opaque", "kept bits"):
            for file in (f, old):
                read = np.zeros((20, 30 * f[name].id.get_type().get_size()), "u1")
                file[name].id.read(h5py.h5s.ALL, h5py.h5s.ALL, read, f[name].id.get_type())
                assert (read == 3).all()


def numbers_of_every_kind(path: Path) -> Checks:
    kinds = {
        kind: np.arange(60).astype(kind) for kind in ("<i2", ">i2", "<u8", ">f4", "<f2", ">f8")
    }
    with h5py.File(path, "w") as f:
        for kind, values in kinds.items():
            f[f"kept {kind}"] = f[f"unread {kind}"] = values
        f["kept complex"] = np.arange(60) * 1j
        f["kept bool"] = np.arange(60) % 2 == 0
        f.create_dataset("kept arrays", (9,), "(2,3)f8")[...] = np.ones((9, 2, 3))
    copy = yield []
    with h5py.File(copy) as f:
        for kind, values in kinds.items():
            assert f[f"kept {kind}"].dtype.str == f[f"unread {kind}"].dtype.str == kind
            assert (f[f"kept {kind}"][...] == values).all() and refuses(f[f"unread {kind}"])
        assert (f["kept complex"][...] == np.arange(60) * 1j).all()
        assert (f["kept bool"][...] == (np.arange(60) % 2 == 0)).all()
        assert f["kept arrays"].id.get_type().get_array_dims() == (2, 3)


def null_scalar_and_empty_spaces(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        f["null"] = h5py.Empty("f4")
        f["scalar"] = 5
        f.create_dataset("empty", (0, 3), "i4")
        f.create_dataset("to grow", (0, 3), "i4", maxshape=(None, 3))
        f.attrs["null"] = h5py.Empty("S9")
        f.attrs["scalar"] = 6
        f.attrs["empty"] = np.zeros((2, 0), "i2")
    copy = yield []
    with h5py.File(copy, "r+") as f:
        assert f["null"].shape is None and f["null"].dtype == "f4"
        assert f["scalar"].shape == () and f["scalar"][()] == 5
        assert f["empty"][...].shape == f["to grow"][...].shape == (0, 3)
        assert isinstance(f.attrs["null"], h5py.Empty) and f.attrs["scalar"] == 6
        assert f.attrs["empty"].shape == (2, 0)
        f["to grow"].resize((2, 3))
        f["to grow"][1] = 4
        assert f["to grow"][...].sum() == 12


# References


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


# Objects


def dense_attributes_in_order(path: Path) -> Checks:
    names = [f"a{n * 7 % 40}" for n in range(40)]
    with h5py.File(path, "w", libver="v110") as f:
        add(f, track_order=True)
        holders = [f["kept"], f["unread"], f.create_group("group", track_order=True)]
        for holder in holders:
            for number, name in enumerate(names):
                holder.attrs[name] = number
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("kept", "unread", "group"):
            assert dict(f[name].attrs) == {name: number for number, name in enumerate(names)}
            found = []
            h5py.h5a.iterate(f[name].id, found.append, index_type=h5py.h5.INDEX_CRT_ORDER)
            assert [one.decode() for one in found] == names
        assert refuses(f["unread"])


def attributes_of_untracked_order(path: Path) -> Checks:
    names = ["zulu", "alpha", "mike", "bravo"]
    with h5py.File(path, "w", libver="v110") as f:
        add(f)
        for holder in (f, f["kept"], f["unread"]):
            for name in names:
                holder.attrs[name] = name
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        for name in ("/", "kept", "unread"):
            found = {f: [], old: []}
            for file, seen in found.items():
                h5py.h5a.iterate(file[name].id, seen.append, order=h5py.h5.ITER_NATIVE)
            assert found[f] == found[old] == [one.encode() for one in names]


def attributes_and_links_made_again(path: Path) -> Checks:
    """Headers in several pieces, and with holes where something was."""
    draw = random.Random(5)
    with h5py.File(path, "w", libver="v110") as f:
        add(f)
        groups = [f]
        for number in range(60):
            parent, name = draw.choice(groups), f"{'long' * draw.randrange(9)}{number}"
            if draw.random() < 0.5:
                groups.append(parent.create_group(name))
            else:
                parent.create_dataset(name, data=NUMBERS, chunks=(5, 5), compression=4)
            holder = parent[name]
            # Over and under the number of attributes from which on HDF5 stores them otherwise.
            for most in (5, 12, 20):
                for _ in range(draw.randrange(most)):
                    value = np.zeros(draw.choice([1, 9, 40])) if draw.random() < 0.5 else "text"
                    holder.attrs[f"{'long' * draw.randrange(5)}{draw.randrange(9)}"] = value
                for gone in draw.sample(list(holder.attrs), len(holder.attrs) // 3):
                    del holder.attrs[gone]
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        assert listed(f) == listed(old)
        assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])


def listed(group: h5py.Group) -> list:
    """All that is in it, as it lies there."""
    links, found = [], []
    group.id.links.iterate(links.append, order=h5py.h5.ITER_NATIVE)
    for one in (group, *(group[name] for name in links)):
        names = []
        h5py.h5a.iterate(one.id, names.append, order=h5py.h5.ITER_NATIVE)
        found.append((one.name, names))
        if isinstance(one, h5py.Group) and one != group:
            found += listed(one)
    return found


def large_attributes(path: Path) -> Checks:
    values = np.arange(100_000)
    with h5py.File(path, "w", libver="v110") as f:
        add(f)
        for name in ("/", "kept", "unread"):
            f[name].attrs["large"] = values
            f[name].attrs["text"] = "long" * 30_000
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("/", "kept", "unread"):
            assert (f[name].attrs["large"] == values).all()
            assert f[name].attrs["text"] == "long" * 30_000
        assert refuses(f["unread"])


def create_sharing(path: Path, least: int) -> h5py.File:
    """A file in which headers share all messages that have at least this many bytes."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    hdf5("H5Pset_shared_mesg_nindexes", creation.id, 1)
    hdf5("H5Pset_shared_mesg_index", creation.id, 0, 0x182A, least)  # H5O_SHMESG_ALL_FLAG
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V18, h5py.h5f.LIBVER_V110)
    return h5py.File(h5py.h5f.create(bytes(path), fcpl=creation, fapl=access))


def shared_attributes(path: Path) -> Checks:
    with create_sharing(path, 20) as f:
        for number in range(20):
            f[f"{'kept' if number % 2 else 'unread'}{number}"] = NUMBERS
        for holder in f.values():
            holder.attrs["of all"] = np.arange(1000)
    copy = yield []
    assert path.stat().st_size < 20 * (4800 + 8000), "attributes are shared"
    assert copy.stat().st_size < path.stat().st_size
    with h5py.File(copy) as f:
        indexes, creation = ctypes.c_uint(), f.id.get_create_plist()
        hdf5("H5Pget_shared_mesg_nindexes", creation.id, ctypes.byref(indexes))
        assert indexes.value == 1
        for name, holder in f.items():
            assert (holder.attrs["of all"] == np.arange(1000)).all()
            assert (holder[...] == NUMBERS).all() if "kept" in name else refuses(holder)


def comments(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        add(f)
        f["type"] = np.dtype("f4")
        for name in ("kept", "unread", "type", "."):
            h5py.h5o.set_comment(f.id, f"about {name}".encode(), obj_name=name.encode())
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("kept", "unread", "type", "."):
            text = ctypes.create_string_buffer(100)
            hdf5("H5Oget_comment_by_name", f.id.id, name.encode(), text, 100, 0)
            assert text.value == f"about {name}".encode()
        assert refuses(f["unread"])


def comments_beside_attributes(path: Path) -> Checks:
    """A comment that comes late must not push an attribute out of its place."""
    with h5py.File(path, "w") as f:
        add(f)
        for number in range(30):
            kind = np.dtype([(f"m{member}", "S9") for member in range(number % 5 + 1)])
            f[f"type {number}"] = kind
            for attribute in range(2 + number % 4):
                values = np.arange((number + attribute) * 7 % 90)
                f[f"type {number}"].attrs[f"n{attribute * 5 % 12}"] = values
            h5py.h5o.set_comment(f[f"type {number}"].id, b"about it" * (number % 3 + 1))
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        assert listed(f) == listed(old) and refuses(f["unread"])


def made_in_2001(path: Path) -> int:
    """Tells how many times were there. Headers of the first version have no checksum."""
    made_at = int(time.time())
    then, raw = b"\1\0\0\0" + struct.pack("<I", 10**9), path.read_bytes()
    for second in range(made_at - 60, made_at + 1):
        raw = raw.replace(b"\1\0\0\0" + struct.pack("<I", second), then)
    path.write_bytes(raw)
    return raw.count(then)


def times_of_objects(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        for name in ("kept", "unread"):
            f.create_dataset(f"{name} dated", data=NUMBERS, track_times=True)
            f.create_dataset(f"{name} undated", data=NUMBERS, track_times=False)
    assert made_in_2001(path) == 2
    copy = yield []
    with h5py.File(copy) as f:
        for name in f:
            assert h5py.h5o.get_info(f[name].id).ctime == (0 if "undated" in name else 10**9)
        assert refuses(f["unread dated"])


def times_of_data_in_headers(path: Path) -> Checks:
    """HDF5 writes the header of compact data that it has copied again, when that is closed first."""
    names = ("kept linked", "kept counted", "kept referred")
    calls = {"set_layout": (h5py.h5d.COMPACT,), "set_obj_track_times": (True,)}
    with h5py.File(path, "w") as f:
        for name in names:
            made(f, name, h5py.h5t.NATIVE_INT32, **calls)[...] = NUMBERS
        f["again"], counted = f["kept linked"], f["kept counted"]
        hdf5("H5Oincr_refcount", counted.id.id)
        f["kept references"] = np.array([f["kept referred"].ref], h5py.ref_dtype)
    assert made_in_2001(path) == 3
    copy = yield []
    with h5py.File(copy) as f:
        for name in names:
            assert h5py.h5o.get_info(f[name].id).ctime == 10**9
            assert (f[name][...] == NUMBERS).all()


def attributes_of_every_kind(path: Path) -> Checks:
    pairs = np.array([[(1, 2.5), (3, 4.5)], [(5, 6.5), (7, 8.5)]], [("a", "i4"), ("b", "f8")])
    with h5py.File(path, "w") as f:
        add(f)
        for name in ("/", "kept", "unread"):
            f[name].attrs["compound of 2-D"] = pairs
            f[name].attrs["texts"] = ["one", "zwölf"]
            f[name].attrs["fixed"] = np.array([b"a", b"bc"])
            f[name].attrs.create("lists", [np.arange(2), np.arange(3)], dtype=h5py.vlen_dtype("i8"))
            f[name].attrs.create("enum", 1, dtype=h5py.enum_dtype({"no": 0, "yes": 1}))
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("/", "kept", "unread"):
            attributes = f[name].attrs
            assert (attributes["compound of 2-D"] == pairs).all()
            assert list(attributes["texts"]) == ["one", "zwölf"]
            assert list(attributes["fixed"]) == [b"a", b"bc"]
            assert [list(one) for one in attributes["lists"]] == [[0, 1], [0, 1, 2]]
            kind = h5py.check_enum_dtype(attributes.get_id("enum").dtype)
            assert attributes["enum"] == 1 and kind == {"no": 0, "yes": 1}
        assert refuses(f["unread"])


ITEMS = items_in(sys.modules[__name__])
carved = carved_in_both_ways(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_is_kept(item: str, carved: Carved) -> None:
    carved.check(item)


def test_nothing_is_hollow_where_headers_share_fill_values(tmp_path: Path) -> None:
    """HDF5 1.14 shares that there is none with those that have zeros, and reads these."""
    path = tmp_path / "in.h5"
    with create_sharing(path, 1) as f:
        for name in ("a kept", "b", "c", "d kept"):
            f.create_dataset(name, data=NUMBERS, maxshape=(None, 30), chunks=(5, 30))
    run(tmp_path, "import h5py; h5py.File('in.h5')")
    words = ("--keep", "*kept", "--keep-below", "0", "--no-verify")
    [fate] = carve(tmp_path, "t", *words)["files"]
    assert "share fill values" in {one["paths"][0]: one["why"] for one in fate["datasets"]}["/b"]
    with h5py.File(copy_of(path)) as f:
        assert all((f[name][...] == NUMBERS).all() for name in f)


def test_what_hdf5_crashes_on_is_copied_whole(tmp_path: Path) -> None:
    for name in ("in.h5", "other.h5"):
        with h5py.File(tmp_path / name, "w") as f:
            f["x"], f["unread"] = NUMBERS, NUMBERS
    (tmp_path / "crash.c").write_text("int H5Ocopy() { __builtin_trap(); }")
    library = tmp_path / "crash.so"
    compile_c("-shared", "-fPIC", "-w", "-o", library, tmp_path / "crash.c")
    run(tmp_path, "import h5py; h5py.File('in.h5')['x'][0]; h5py.File('other.h5')")
    words = ("carve", "-o", "small", "t", "--keep-below", "0", "--json")
    done = quarry(*words, cwd=tmp_path, env={"LD_PRELOAD": str(library)})
    assert done.returncode == 0, done.stdout
    fates = {Path(one["original"]).name: one for one in json.loads(done.stdout)["files"]}
    assert "HDF5 did not get through it: killed by signal" in fates["in.h5"]["why_whole"]
    assert copy_of(tmp_path / "in.h5").read_bytes() == (tmp_path / "in.h5").read_bytes()
    assert not fates["other.h5"]["why_whole"]


def test_what_cannot_be_carved_faithfully_is_copied_whole(tmp_path: Path) -> None:
    """As if HDF5 did not write what it was told to."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["x"], f["y"] = NUMBERS, NUMBERS
        h5py.h5o.set_comment(f["x"].id, b"a comment")
    (tmp_path / "no_comments.c").write_text(
        "int H5Oset_comment(long o, const char* c) { return 0; }"
    )
    library = tmp_path / "no_comments.so"
    compile_c("-shared", "-fPIC", "-w", "-o", library, tmp_path / "no_comments.c")
    run(tmp_path, "import h5py; h5py.File('in.h5')")
    words = ("carve", "-o", "small", "t", "--keep-below", "0", "--json")
    done = quarry(*words, cwd=tmp_path, env={"LD_PRELOAD": str(library)})
    [fate] = json.loads(done.stdout)["files"]
    assert "its copy turned out to be another file: /x" in fate["why_whole"]
    assert fate["datasets"] == []
    assert copy_of(path).read_bytes() == path.read_bytes()
    assert not list((tmp_path / "small/quarry-carved").rglob("*.h5"))
