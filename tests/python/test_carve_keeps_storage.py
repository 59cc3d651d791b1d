"""Data is stored in the carved copy as it was, and so is the file, one file for each way."""

import ctypes
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import FilterClass, carve, copy_of, hdf5, library_of_h5py, refuses, run
from kept_items import NUMBERS, Carved, Checks, add, carved_in_both_ways, items_in, made

from cli import quarry

# Data


def data_in_the_global_heap(path: Path) -> Checks:
    lists = h5py.vlen_dtype("i4")
    mixed = np.dtype([("n", "i4"), ("text", h5py.string_dtype()), ("list", lists)])
    with h5py.File(path, "w") as f:
        words = [f"word {n}" * (n % 5) for n in range(600)]
        for name in ("kept", "unread"):
            f.create_dataset(f"{name} words", data=words, dtype=h5py.string_dtype())
            f.create_dataset(f"{name} packed", data=words, dtype=h5py.string_dtype(), compression=4)
            of_lists = f.create_dataset(f"{name} lists", (9,), lists, chunks=(4,))
            of_lists[3], of_lists[8] = [1, 2, 3], [4]
            f.create_dataset(f"{name} mixed", (2,), mixed)[1] = (
                5,
                "five",
                np.arange(5, dtype="i4"),
            )
        f.attrs["words"] = words[:9]
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("words", "packed"):
            assert [word.decode() for word in f[f"kept {name}"]] == words
            assert refuses(f[f"unread {name}"])
        assert [list(one) for one in f["kept lists"]] == [
            [],
            [],
            [],
            [1, 2, 3],
            [],
            [],
            [],
            [],
            [4],
        ]
        number, text, some = f["kept mixed"][1]
        assert (number, text, list(some)) == (5, b"five", [0, 1, 2, 3, 4])
        assert refuses(f["unread lists"]) and refuses(f["unread mixed"])
        assert list(f.attrs["words"]) == words[:9]


def fill_values_in_the_global_heap(path: Path) -> Checks:
    ways = {"plain": {}, "chunked": {"chunks": (7,)}, "packed": {"compression": 4}}
    with h5py.File(path, "w") as f:
        for way, settings in ways.items():
            words = {"shape": (30,), "dtype": h5py.string_dtype(), "fillvalue": "none", **settings}
            f.create_dataset(f"kept {way}", **words)[3] = "one"
            f.create_dataset(f"kept {way} untouched", **words)
    copy = yield []
    with h5py.File(copy) as f:
        for way in ways:
            assert list(f[f"kept {way}"][:5]) == [b"none", b"none", b"none", b"one", b"none"]
            assert set(f[f"kept {way} untouched"]) == {b"none"}


def packed_chunks_of_texts(path: Path) -> Checks:
    """HDF5 1.14 takes the size of one when it is packed for the room that the next one has."""
    texts = [""] * 50 + [str(number) for number in range(450)]
    with h5py.File(path, "w", libver="v110") as f:
        for name in ("kept", "unread"):
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk((50,))
            properties.set_deflate(9)
            properties.set_deflate(1)
            kind = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
            space = h5py.h5s.create_simple((500,))
            data = h5py.h5d.create(f.id, name.encode(), kind, space, properties)
            h5py.Dataset(data)[...] = texts
    copy = yield []
    with h5py.File(copy) as f:
        assert list(f["kept"].asstr()[...]) == texts and refuses(f["unread"])


def filter_masks_of_chunks(path: Path) -> Checks:
    with h5py.File(path, "w") as f:
        add(f, chunks=(10, 30), compression=4, shuffle=True)
        for name in ("kept", "unread"):
            f[name].id.write_direct_chunk((10, 0), NUMBERS[10:].tobytes(), 0b11)
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        assert f["kept"].id.get_chunk_info_by_coord((10, 0)).filter_mask == 0b11
        for offset in ((0, 0), (10, 0)):
            same = [file["kept"].id.read_direct_chunk(offset) for file in (f, old)]
            assert same[0] == same[1]
        assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])


FILTER = 31999


@contextmanager
def own_filter() -> Iterator[None]:
    """One that nobody else has."""
    library = library_of_h5py()
    copied = ctypes.CFUNCTYPE(
        ctypes.c_size_t, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t
    )(lambda _flags, _count, _values, size: size)
    ours = FilterClass(1, FILTER, 1, 1, b"nobody's", (None,) * 3)
    ours.functions[2] = ctypes.cast(copied, ctypes.c_void_p).value
    assert library.H5Zregister(ctypes.byref(ours)) >= 0
    yield
    assert library.H5Zunregister(FILTER) >= 0


def with_own_filter(path: Path, kind: object, flag: int) -> None:
    """Datasets that need it."""
    with own_filter(), h5py.File(path, "w") as f:
        for name in ("kept", "unread"):
            calls = {"set_chunk": ((10, 30),), "set_filter": (FILTER, flag, (1, 2, 3))}
            data = made(f, name, kind, **calls)
            if data.dtype.kind == "O":
                data[0, 0] = "text" if h5py.check_string_dtype(data.dtype) else f.ref
            else:
                data[:15] = NUMBERS[:15]


def chunks_of_a_filter_that_is_not_installed(path: Path) -> Checks:
    with_own_filter(path, h5py.h5t.NATIVE_INT32, h5py.h5z.FLAG_MANDATORY)
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        assert f["kept"].id.get_create_plist().get_filter_by_id(FILTER)[1] == (1, 2, 3)
        for offset in ((0, 0), (10, 0)):
            same = [file["kept"].id.read_direct_chunk(offset) for file in (f, old)]
            assert same[0] == same[1]
        with pytest.raises(OSError, match="plugin|filter"):
            f["kept"][...]
        assert f["unread"].id.get_num_chunks() == 0


def filters_without_a_name(path: Path) -> Checks:
    """The name that HDF5 would give them has no room in the header."""
    with h5py.File(path, "w", libver="v110") as f:
        for name in ("kept", "unread", "kept too"):
            optional = (FILTER, h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
            calls = {"set_chunk": ((10, 30),), "set_filter": optional}
            made(f, name, h5py.h5t.NATIVE_INT64, **calls)[...] = NUMBERS
            f[name].attrs["of"] = name
    copy = yield []
    with h5py.File(copy) as f:
        for name in ("kept", "kept too"):
            assert (f[name][...] == NUMBERS).all() and f[name].attrs["of"] == name
        assert f["unread"].attrs["of"] == "unread" and refuses(f["unread"])


# Storage


INDEXES = {  # H5D_chunk_index_t
    "b-tree": 0,
    "single": 1,
    "implicit": 2,
    "fixed array": 3,
    "extensible array": 4,
    "b-tree of version 2": 5,
}


def index_of(dataset: h5py.Dataset) -> int:
    kind = ctypes.c_int()
    hdf5("H5Dget_chunk_index_type", dataset.id.id, ctypes.byref(kind))
    return kind.value


def kinds_of_chunk_index(path: Path) -> Checks:
    settings = {
        "single": {"chunks": (20, 30)},
        "fixed array": {"chunks": (7, 8)},
        "extensible array": {"chunks": (7, 8), "maxshape": (None, 30)},
        "b-tree of version 2": {"chunks": (7, 8), "maxshape": (None, None)},
    }
    with h5py.File(path, "w", libver="v110") as f:
        for kept in ("kept", "unread"):
            for index, more in settings.items():
                for packed in ({}, {"compression": 1}):
                    f.create_dataset(
                        f"{kept}/{index}/{len(packed)}", data=NUMBERS, **more, **packed
                    )
            early = (h5py.h5d.ALLOC_TIME_EARLY,)
            f[kept].create_group("implicit")
            made(
                f,
                f"{kept}/implicit/0",
                h5py.h5t.NATIVE_INT64,
                set_chunk=((7, 8),),
                set_alloc_time=early,
            )[...] = NUMBERS
    copy = yield [f"kept/{index}/0" for index in settings]
    with h5py.File(copy) as f:
        for index in (*settings, "implicit"):
            for name in f["kept"][index]:
                kept = f[f"kept/{index}/{name}"]
                assert index_of(kept) == INDEXES[index]
                # Chunks at the edge are only partly filled.
                assert kept.id.get_num_chunks() == (1 if index == "single" else 12)
                assert (kept[...] == NUMBERS).all() and refuses(f[f"unread/{index}/{name}"])


def chunk_indexes_of_what_has_shrunk(path: Path) -> Checks:
    with h5py.File(path, "w", libver="v110") as f:
        add(f)
        f["type"] = np.dtype([("a", "i4")])
        for packed in ({}, {"compression": 1}):
            words = {"chunks": (4, 3), **packed}
            for name in ("kept", "unread"):
                f.create_dataset(f"{name} {len(packed)}", (4, 3), f["type"], **words)[...] = (5,)
            f.create_dataset(f"references kept {len(packed)}", (4, 3), h5py.ref_dtype, **words)
            f[f"references kept {len(packed)}"][...] = f["kept"].ref
        for name in [name for name in f if name[-1].isdigit()]:
            f[name].resize((4, 2))
    copy = yield []
    with h5py.File(copy) as f:
        for name in [name for name in f if "kept " in name]:
            assert f[name].shape == (4, 2) and index_of(f[name]) == INDEXES["single"]
            target = f[name][3, 1]
            assert f[target] == f["kept"] if "references" in name else target["a"] == 5
        assert all(
            refuses(f[name]) and f[name].shape == (4, 2) for name in ("unread 0", "unread 1")
        )


def thousands_of_chunks(path: Path) -> Checks:
    """So many that an index has pages."""
    values = np.arange(6000)
    settings = {
        "fixed array": {},
        "extensible array": {"maxshape": (None,)},
        "b-tree of version 2": {"maxshape": (None, None), "shape": (6000, 1), "chunks": (2, 1)},
    }
    with h5py.File(path, "w", libver="v110") as f:
        for kept in ("kept", "unread"):
            for index, more in settings.items():
                more = {"chunks": (2,), "compression": 1} | more
                f.create_dataset(f"{kept}/{index}", data=values, **more)
    copy = yield []
    with h5py.File(copy) as f:
        for index in settings:
            kept = f[f"kept/{index}"]
            assert index_of(kept) == INDEXES[index] and kept.id.get_num_chunks() == 3000
            assert (kept[...].ravel() == values).all() and refuses(f[f"unread/{index}"])


def chunk_index_of_old_files(path: Path) -> Checks:
    with h5py.File(path, "w", libver="earliest") as f:
        add(f, chunks=(7, 8), compression=1)
    copy = yield []
    with h5py.File(copy) as f:
        assert index_of(f["kept"]) == INDEXES["b-tree"]
        assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])


def unfiltered_chunks_at_the_edge(path: Path, oldest: str = "v110") -> Checks:
    with h5py.File(path, "w", libver=(oldest, "latest")) as f:
        for name in ("kept", "unread", "filtered kept"):
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk((7, 8))
            properties.set_deflate(4)
            if name != "filtered kept":
                hdf5("H5Pset_chunk_opts", properties.id, 2)
            space = h5py.h5s.create_simple((20, 30))
            data = h5py.h5d.create(f.id, name.encode(), h5py.h5t.NATIVE_INT64, space, properties)
            h5py.Dataset(data)[...] = NUMBERS
    copy = yield []
    with h5py.File(copy) as f:
        for name, expected in (("kept", 2), ("filtered kept", 0)):
            options, creation = ctypes.c_uint(), f[name].id.get_create_plist()
            hdf5("H5Pget_chunk_opts", creation.id, ctypes.byref(options))
            assert options.value == expected
            sizes = [f[name].id.get_chunk_info_by_coord(at).size for at in ((0, 0), (14, 24))]
            assert sizes[0] < 7 * 8 * 8 and (sizes[1] == 7 * 8 * 8) == (expected == 2)
            assert (f[name][...] == NUMBERS).all()
        assert refuses(f["unread"])


def unfiltered_chunks_with_old_headers(path: Path) -> Checks:
    yield from unfiltered_chunks_at_the_edge(path, "earliest")


def masks_of_unfiltered_chunks(path: Path) -> Checks:
    """They mean nothing, and HDF5 keeps those of chunks that were there before."""
    with own_filter(), h5py.File(path, "w", libver="v110") as f:
        add(f)
        f["type"] = np.dtype("i8")
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((32, 8))
        properties.set_filter(FILTER, h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
        properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        hdf5("H5Pset_chunk_opts", properties.id, 2)
        space = h5py.h5s.create_simple((20, 30), (40, 60))
        data = h5py.h5d.create(f.id, b"kept at the edge", f["type"].id, space, properties)
        h5py.Dataset(data)[...] = NUMBERS
    copy = yield []
    with h5py.File(copy) as f:
        assert (f["kept at the edge"][...] == NUMBERS).all() and refuses(f["unread"])


def compact_and_early_allocation(path: Path) -> Checks:
    early = {"set_alloc_time": (h5py.h5d.ALLOC_TIME_EARLY,)}
    with h5py.File(path, "w") as f:
        kind = h5py.h5t.NATIVE_INT64
        made(f, "compact", kind, set_layout=(h5py.h5d.COMPACT,))[...] = NUMBERS
        made(f, "kept early", kind, **early)
        made(f, "kept early chunks", kind, set_chunk=((7, 8),), **early)
        made(f, "kept late", kind)
        made(f, "unread early", kind, **early)[...] = NUMBERS
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        assert f["compact"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
        assert (f["compact"][...] == NUMBERS).all()
        for name in ("kept early", "kept early chunks", "kept late"):
            times = [file[name].id.get_create_plist().get_alloc_time() for file in (f, old)]
            assert times[0] == times[1]
            sizes = [file[name].id.get_storage_size() for file in (f, old)]
            assert sizes[0] == sizes[1] and (sizes[0] > 0) == (name != "kept late")
            assert not f[name][...].any()
        assert refuses(f["unread early"])


def early_chunks_of_references(path: Path) -> Checks:
    """What lies behind their headers leaves no room there for attributes."""
    kinds = {"objects": h5py.ref_dtype, "regions": h5py.regionref_dtype}
    with h5py.File(path, "w", libver="v110") as f:
        add(f)
        for name, kind in kinds.items():
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            properties.set_chunk((4,))
            space = h5py.h5s.create_simple((3,), (h5py.h5s.UNLIMITED,))
            for number in range(6):
                words = (h5py.h5t.py_create(kind, logical=True), space, properties)
                place = f"kept {name} {number}".encode()
                data = h5py.Dataset(h5py.h5d.create(f.id, place, *words))
                data[0] = f["kept"].ref if name == "objects" else f["kept"].regionref[3:5]
                for attribute in range(4):
                    data.attrs[f"a{attribute}"] = "x" * 100 * attribute
    copy = yield []
    with h5py.File(copy) as f, h5py.File(path) as old:
        for name in [f"kept {kind} {number}" for kind in kinds for number in range(6)]:
            assert f[f[name][0]] == f["kept"] and f[name].shape == (3,)
            sizes = [file[name].id.get_storage_size() for file in (f, old)]
            assert sizes[0] == sizes[1] > 0
        assert refuses(f["unread"])


def fill_values_and_times(path: Path) -> Checks:
    times = {
        "alloc": h5py.h5d.FILL_TIME_ALLOC,
        "never": h5py.h5d.FILL_TIME_NEVER,
        "if set": h5py.h5d.FILL_TIME_IFSET,
    }
    with h5py.File(path, "w") as f:
        for name, time in times.items():
            for kept in ("kept", "unread"):
                value = (np.array(9, "i8"),)
                calls = {"set_fill_time": (time,), "set_chunk": ((7, 8),), "set_fill_value": value}
                made(f, f"{kept} {name}", h5py.h5t.NATIVE_INT64, **calls)[:7] = 1
        made(f, "kept unset", h5py.h5t.NATIVE_INT64)
    copy = yield []
    with h5py.File(copy) as f:
        for name, time in times.items():
            kept = f[f"kept {name}"]
            assert kept.id.get_create_plist().get_fill_time() == time
            assert kept.fillvalue == 9 and (kept[:7] == 1).all()
            assert name == "never" or (kept[7:] == 9).all()
            assert refuses(f[f"unread {name}"])
        state = f["kept unset"].id.get_create_plist().fill_value_defined()
        assert state == h5py.h5d.FILL_VALUE_DEFAULT


# The file


def user_block(path: Path) -> Checks:
    with h5py.File(path, "w", userblock_size=2048) as f:
        add(f)
    with path.open("r+b") as raw:
        raw.write(b"#!/bin/sh\n" + bytes(range(256)) * 7)
    copy = yield []
    assert copy.read_bytes()[:2048] == path.read_bytes()[:2048]
    with h5py.File(copy) as f:
        assert f.userblock_size == 2048
        assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])


def version_bounds(bound: int, superblock: int) -> object:
    def check(path: Path) -> Checks:
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_libver_bounds(bound, h5py.h5f.LIBVER_V114)
        with h5py.File(h5py.h5f.create(bytes(path), fapl=access)) as f:
            add(f, chunks=(7, 8))
        assert path.read_bytes()[8] == superblock
        copy = yield []
        assert copy.read_bytes()[8] == superblock
        with h5py.File(copy) as f, h5py.File(path) as old:
            for name in ("/", "kept", "unread"):
                # An old file is one for old programs: headers are of version 1 or 2.
                versions = [h5py.h5o.get_info(file[name].id).hdr.version for file in (f, old)]
                assert versions[0] == versions[1]
            assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])

    return check


superblock_0 = version_bounds(h5py.h5f.LIBVER_EARLIEST, 0)
superblock_2 = version_bounds(h5py.h5f.LIBVER_V18, 2)
superblock_3 = version_bounds(h5py.h5f.LIBVER_V110, 3)
version_bound_1_14 = version_bounds(h5py.h5f.LIBVER_V114, 3)


def superblock_1(path: Path) -> Checks:
    """Of files whose trees of chunks have nodes of another size."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    hdf5("H5Pset_istore_k", creation.id, 7)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_V110)
    with h5py.File(h5py.h5f.create(bytes(path), fcpl=creation, fapl=access)) as f:
        add(f, chunks=(3, 3), compression=1)
    assert path.read_bytes()[8] == 1
    copy = yield []
    assert copy.read_bytes()[8] == 1
    with h5py.File(copy) as f:
        half, made_with = ctypes.c_uint(), f.id.get_create_plist()
        hdf5("H5Pget_istore_k", made_with.id, ctypes.byref(half))
        assert half.value == 7
        assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])


def file_space(strategy: str, **more: object) -> object:
    def check(path: Path) -> Checks:
        with h5py.File(path, "w", fs_strategy=strategy, **more) as f:
            add(f)
            f["passing"] = NUMBERS
            del f["passing"]
        copy = yield []
        with h5py.File(copy) as f, h5py.File(path) as old:
            lists = [file.id.get_create_plist() for file in (f, old)]
            assert lists[0].get_file_space_strategy() == lists[1].get_file_space_strategy()
            assert lists[0].get_file_space_page_size() == lists[1].get_file_space_page_size()
            assert (f["kept"][...] == NUMBERS).all() and refuses(f["unread"])

    return check


space_of_free_space_managers = file_space("fsm", fs_persist=True, fs_threshold=5)
space_in_pages = file_space("page", fs_persist=True, fs_page_size=1024)
space_of_aggregators = file_space("aggregate")
space_without_any = file_space("none")


ITEMS = items_in(sys.modules[__name__])
carved = carved_in_both_ways(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_is_kept(item: str, carved: Carved) -> None:
    carved.check(item)


@pytest.mark.parametrize("kind", ["text", "reference"])
def test_a_file_with_what_cannot_be_decoded_is_copied_whole(tmp_path: Path, kind: str) -> None:
    """Texts and references are addresses in the file; to move them, they have to be read."""
    kinds = {"text": h5py.string_dtype(), "reference": h5py.ref_dtype}
    path = tmp_path / "in.h5"
    with_own_filter(path, h5py.h5t.py_create(kinds[kind], logical=True), h5py.h5z.FLAG_OPTIONAL)
    program = "import h5py; print(len(h5py.File('in.h5')))"
    run(tmp_path, program)
    done = quarry("carve", "t", "-o", "small", "--keep", "/kept", cwd=tmp_path)
    assert done.returncode == 0 and "/kept" in done.stdout and "is not installed" in done.stdout
    manifest = json.loads((tmp_path / "small/quarry-carved.json").read_text())
    assert "is not installed" in manifest["files"][0]["why_whole"]
    copy = tmp_path / "small" / path.relative_to("/")
    assert copy.read_bytes() == path.read_bytes()


def test_some_chunks_of_what_is_allocated_late(tmp_path: Path) -> None:
    """All chunks at once, with the first one that is written."""
    path, late = tmp_path / "in.h5", (h5py.h5d.ALLOC_TIME_LATE,)
    with h5py.File(path, "w") as f:
        for name, packed in (("plain", {}), ("packed", {"set_deflate": (1,)})):
            calls = {"set_chunk": ((5, 30),), "set_alloc_time": late, **packed}
            made(f, name, h5py.h5t.NATIVE_INT64, **calls)[...] = NUMBERS
    run(tmp_path, "import h5py; f = h5py.File('in.h5'); f['plain'][0], f['packed'][0]")
    words = ("--granularity", "chunk", "--keep-below", "0")
    [fate] = carve(tmp_path, "t", *words)["files"]
    assert not fate["why_whole"]
    with h5py.File(copy_of(path)) as f:
        for name in ("plain", "packed"):
            assert (f[name][:5] == NUMBERS[:5]).all()
            with pytest.raises(OSError, match="filter|plugin"):
                f[name][5]
