"""What HDF5 files hold is in the carved copy, one file for each thing: links, types, spaces.

References are in test_carve_keeps_references.py, attributes, comments and times in test_carve_keeps_attributes.py, how
data is stored in test_carve_keeps_storage.py, what netCDF needs in test_carve_keeps_netcdf.py. Links of a kind of one's
own are in test_verify.py, external storage and virtual datasets with their sources in test_carve.py.
"""

import json
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import carve, copy_of, hdf5, refuses, run
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
