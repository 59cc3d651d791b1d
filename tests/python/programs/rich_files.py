"""Makes files with some of everything: `usual.h5`, and others in which one thing each is another.

Their names are the words after the folder. One process makes all, so that a clock that stands still is
the only thing they need to be equal otherwise.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np


def attribute(holder: h5py.HLObject, name: str, value: np.ndarray, kind: object) -> None:
    """One that is made with HDF5's own calls: its type is exactly that."""
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5a.create(holder.id, name.encode(), kind, space).write(value, kind)


def text_type(size: int, padding: int, characters: int) -> h5py.h5t.TypeStringID:
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    kind.set_strpad(padding)
    kind.set_cset(characters)
    return kind


def dataset(file: h5py.File, name: str, kind: object, **more: Callable) -> h5py.Dataset:
    """With a creation list on which these of its functions were called."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    for function, words in more.items():
        getattr(properties, function)(*words)
    space = h5py.h5s.create_simple((40, 30), (40, 60) if "set_chunk" in more else (40, 30))
    made = h5py.h5d.create(file.id, name.encode(), kind, space, properties)
    return h5py.Dataset(made)


NUMBERS = np.arange(1200, dtype="f8").reshape(40, 30)
CHUNKS = {"set_chunk": ((10, 15),)}


def make(path: Path, change: str = "") -> Path:
    """A file with some of everything, but for one thing that is changed."""

    def pick(name: str, usual: object, other: object) -> object:
        return other if change == name else usual

    strategy = {"fs_strategy": "page", "fs_page_size": pick("page size", 512, 1024)}
    if change == "file space strategy":
        strategy = {"fs_strategy": "fsm"}
    with h5py.File(path, "w", userblock_size=2048, track_order=True, **strategy) as f:
        fill(f, pick)
    with open(path, "r+b") as raw:
        raw.write(pick("user block", b"the user's", b"no user's"))
    return path


def fill(f: h5py.File, pick: Callable) -> None:
    fill_types(f, pick)
    fill_data(f, pick)
    fill_attributes(f, pick)
    fill_links(f, pick)


def fill_types(f: h5py.File, pick: Callable) -> None:
    f["named"] = pick(
        "member of a named type",
        np.dtype([("a", "i4"), ("b", "f8")]),
        np.dtype([("a", "i4"), ("c", "f8")]),
    )
    f["other named"] = np.dtype([("a", "i4"), ("b", "f8")])
    kind = pick("type is shared", f["named"], f["named"].dtype)
    f.create_dataset("of named", (3,), pick("which type is shared", kind, f["other named"]))
    colors = h5py.enum_dtype({"red": 0, "blue": pick("enum member", 1, 2)}, "u1")
    f.create_dataset("enum", (3,), colors)
    joined = pick("enum name", {"a": 0, "b": 1}, {"a = 0, b": 1})
    f.create_dataset("joined", (3,), h5py.enum_dtype(joined, "u1"))
    f.create_dataset("byte order", (3,), pick("byte order", "<i4", ">i4"))
    f.create_dataset("sign", (3,), pick("sign", "i4", "u4"))
    texts = pick("character set", h5py.string_dtype("utf-8", 9), h5py.string_dtype("ascii", 9))
    f.create_dataset("texts", (3,), texts)
    padding = pick("padding", h5py.h5t.STR_NULLPAD, h5py.h5t.STR_SPACEPAD)
    dataset(f, "padded", text_type(9, padding, h5py.h5t.CSET_ASCII))
    free = text_type(
        h5py.h5t.VARIABLE,
        pick("padding of any length", h5py.h5t.STR_NULLTERM, h5py.h5t.STR_SPACEPAD),
        pick("character set of any length", h5py.h5t.CSET_UTF8, h5py.h5t.CSET_ASCII),
    )
    dataset(f, "free texts", free)
    holding = h5py.h5t.create(h5py.h5t.COMPOUND, 24)
    holding.insert(b"number", 0, h5py.h5t.STD_I64LE)
    holding.insert(b"text", 8, free)
    dataset(f, "holds free texts", holding)
    opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 4)
    opaque.set_tag(pick("tag", b"this", b"that"))
    dataset(f, "opaque", opaque)


def fill_data(f: h5py.File, pick: Callable) -> None:
    other = NUMBERS.copy()
    other[21, 7] += 1
    for name in ("contiguous", "chunked", "compressed", "compact"):
        settings = {"chunks": (10, 15)} if name in ("chunked", "compressed") else {}
        if name == "compressed":
            settings |= {"compression": pick("filter", "gzip", "lzf"), "shuffle": True}
        f.create_dataset(name, data=pick(name, NUMBERS, other), **settings)
    f.create_dataset("grows", (4, 4), "f4", maxshape=pick("largest shape", (None, 9), (None, 10)))
    f.create_dataset("chunk shape", (40, 30), "f4", chunks=pick("chunk shape", (10, 15), (20, 15)))
    f.create_dataset("shape", pick("shape", (3,), (4,)), "f4")
    f.create_dataset("null", data=pick("null space", h5py.Empty("f4"), np.float32(0)))
    f.create_dataset("fill", (40,), "f4", fillvalue=pick("fill value", 5, 6))
    times = pick("fill time", h5py.h5d.FILL_TIME_IFSET, h5py.h5d.FILL_TIME_NEVER)
    dataset(f, "fill time", h5py.h5t.NATIVE_INT32, **CHUNKS, set_fill_time=(times,))
    when = pick("allocation time", h5py.h5d.ALLOC_TIME_INCR, h5py.h5d.ALLOC_TIME_EARLY)
    dataset(f, "allocation time", h5py.h5t.NATIVE_INT32, **CHUNKS, set_alloc_time=(when,))
    dataset(f, "times", h5py.h5t.NATIVE_INT32, set_obj_track_times=(pick("times", True, False),))
    sparse = f.create_dataset("sparse", (40, 30), "f4", chunks=(10, 15))
    sparse[pick("stored chunks", 0, 39)] = 0
    masked = f.create_dataset("masked", (40, 30), "i1", chunks=(40, 30), compression=1)
    masked.id.write_direct_chunk((0, 0), bytes(1200), pick("filter mask", 1, 3))
    strings = f.create_dataset("strings", (3,), h5py.string_dtype())
    strings[...] = ["a", pick("string", "b", "c"), "d"]
    lists = f.create_dataset("lists", (2,), h5py.vlen_dtype("i4"))
    lists[0], lists[1] = [1, 2], pick("list", [3], [3, 4])
    mixed = f.create_dataset("mixed", (2,), [("n", "i4"), ("s", h5py.string_dtype())])
    mixed[0], mixed[1] = (1, "x"), pick("compound", (2, "y"), (2, "z"))
    layout = h5py.VirtualLayout((40, 30), "f8")
    layout[...] = h5py.VirtualSource("other.h5", pick("mapping", "/x", "/y"), (40, 30))
    f.create_virtual_dataset("virtual", layout)
    file, source = pick("name in a mapping", ("x:y", "z"), ("x", "y:z"))
    layout = h5py.VirtualLayout((40, 30), "f8")
    layout[...] = h5py.VirtualSource(file, source, (40, 30))
    f.create_virtual_dataset("colon", layout)
    names = [(pick("external file", "one.raw", "two.raw"), 0, 9600)]
    f.create_dataset("external", (40, 30), "f8", external=names)


def fill_attributes(f: h5py.File, pick: Callable) -> None:
    holder = f.create_group("holder", track_order=True)
    names = pick("order of attributes", ["z", "a", "m"], ["a", "z", "m"])
    holder.attrs.update(dict.fromkeys(names, 1))
    names = pick("order of untracked attributes", ["z", "a", "m"], ["a", "z", "m"])
    f.create_group("holds untracked").attrs.update(dict.fromkeys(names, 1))
    if pick("attribute there", True, False):
        holder.attrs["there"] = 1
    holder.attrs["number"] = pick("attribute", 1, 2)
    holder.attrs["text"] = pick("attribute text", "kelvin", "celsius")
    holder.attrs["list"] = pick("attribute shape", [1, 2, 3], [1, 2])
    holder.attrs.create("typed", 1, dtype=pick("attribute type", "i4", "i8"))
    characters = pick("character set of a text", h5py.h5t.CSET_UTF8, h5py.h5t.CSET_ASCII)
    attribute(
        holder, "coded", np.array(b"x", "S4"), text_type(4, h5py.h5t.STR_NULLTERM, characters)
    )
    holder.attrs.create("named", np.zeros((), f["named"].dtype))
    big = f.create_group("big", track_order=True)
    for number in range(40):
        big.attrs[f"a{number}"] = number + (pick("dense attribute", 0, 1) if number == 30 else 0)
    target = f[pick("reference", "contiguous", "chunked")]
    f["references"] = np.array([f["holder"].ref, target.ref, h5py.Reference()], h5py.ref_dtype)
    region = f["contiguous"].regionref[pick("region", slice(2, 5), slice(3, 6)), 1:4]
    f.attrs.create("region", region, dtype=h5py.regionref_dtype)
    f.attrs.create("to", f[pick("attribute reference", "big", "holder")].ref, dtype=h5py.ref_dtype)
    if pick("null reference", False, True):
        f["references"][0] = h5py.Reference()


def fill_links(f: h5py.File, pick: Callable) -> None:
    group = f.create_group("links", track_order=True)
    for name in pick("order of links", ["z", "a"], ["a", "z"]):
        group.create_group(name)
    group = f.create_group("untracked")
    group["outside"] = h5py.ExternalLink(
        "gone.h5", "/x"
    )  # which groups of the old kind cannot hold
    for name in pick("order of untracked links", ["z", "a"], ["a", "z"]):
        group[name] = h5py.SoftLink("/")
    f["soft"] = h5py.SoftLink(pick("soft link", "/nowhere", "/elsewhere"))
    if pick("dangling link there", True, False):
        f["dangling"] = h5py.SoftLink("/not/there")
    f["outside"] = h5py.ExternalLink("gone.h5", pick("external link", "/x", "/y"))
    f["kind"] = pick("kind of link", h5py.SoftLink("/fill"), f["fill"])
    f["alias"] = f["compact"]
    if pick("hard link", False, True):
        del f["alias"]
        f.copy(f["compact"], "alias")
    f["links/circle"] = pick("circle", f["links"], f["big"])
    f["links/a"].id.set_comment(b".", pick("comment", b"said", b"unsaid"))
    f.create_group("tracked", track_order=pick("tracked order", True, False))


def main() -> None:
    folder, *changes = sys.argv[1:]
    for change in ["", *changes]:
        make(Path(folder) / f"{change or 'usual'}.h5", change)


if __name__ == "__main__":
    main()
