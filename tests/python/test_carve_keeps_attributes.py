"""Attributes, comments and times of objects are in the carved copy, and in their order."""

import ctypes
import random
import struct
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import hdf5, refuses
from kept_items import (
    NUMBERS,
    Carved,
    Checks,
    add,
    carved_in_both_ways,
    create_sharing,
    items_in,
    made,
)


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
