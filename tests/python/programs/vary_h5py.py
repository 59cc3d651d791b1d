"""Writes a variety of HDF5 files with h5py: python vary_h5py.py SEED COUNT."""

import random
import sys

import h5py
import numpy as np

LIBVERS = (
    "earliest",
    "latest",
    ("earliest", "v110"),
    ("v108", "v110"),
    ("v110", "v112"),
    ("v114", "latest"),
)
COMPOUND = np.dtype([("a", "<i4"), ("b", ">f8", (2,)), ("c", "S7")])


def file_options(dice):
    options = {"libver": dice.choice(LIBVERS)}
    if dice.random() < 0.4:
        options["userblock_size"] = dice.choice((512, 2048))
    strategy = dice.choice((None, None, "fsm", "page", "aggregate", "none"))
    if strategy:
        options |= {
            "fs_strategy": strategy,
            "fs_persist": strategy in ("fsm", "page") and dice.random() < 0.5,
        }
    if strategy == "page":
        # HDF5 itself may never end closing a file that keeps its free space in small pages: finding
        # room for the list of that space makes it longer (H5MF_settle_meta_data_fsm).
        options["fs_page_size"] = 4096 if options["fs_persist"] else dice.choice((512, 4096))
        if "userblock_size" in options:
            options["userblock_size"] = options["fs_page_size"]
    if dice.random() < 0.4:
        options["track_order"] = True
    if dice.random() < 0.3:
        options |= {"rdcc_nslots": 11, "rdcc_nbytes": 4096, "rdcc_w0": 0.3}
    if dice.random() < 0.3 and strategy is None:
        options |= {"driver": dice.choice(("stdio", "core", "sec2"))}
    if dice.random() < 0.3:
        options |= {"alignment_threshold": 100, "alignment_interval": 64}
    return options


def any_type(dice):
    return np.dtype(
        dice.choice(
            (
                "i1",
                "<u2",
                ">i4",
                "<i8",
                "<f2",
                ">f4",
                "<f8",
                "<c8",
                "?",
                "S5",
                "V3",
                "<U0",
                COMPOUND,
            )
        )
        or "i4"
    )


def some_values(dice, shape, dtype):
    generator = np.random.default_rng(dice.randrange(2**32))
    if dtype.kind == "U":
        dtype = np.dtype("S4")
    raw = generator.integers(0, 100, size=int(np.prod(shape)) * max(dtype.itemsize, 1), dtype="u1")
    if dtype.kind == "b":
        return (raw > 50).reshape(shape)
    return np.frombuffer(raw.tobytes(), dtype).reshape(shape)


def layout(dice, shape, dtype):
    kind = dice.choice(
        ("compact", "contiguous", "chunked", "filtered", "filtered", "growing", "early")
    )
    if not shape or kind == "contiguous":
        return {}
    if kind == "compact":
        return {"dcpl": _list(lambda p: p.set_layout(h5py.h5d.COMPACT))}
    if kind == "early":
        return {"dcpl": _list(lambda p: p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY))}
    chunks = tuple(max(1, min(size, dice.randint(1, 9))) for size in shape)
    if kind == "chunked":
        return (
            {"chunks": chunks, "fillvalue": np.zeros((), dtype)[()]}
            if dtype.kind != "V"
            else {"chunks": chunks}
        )
    if kind == "growing":
        return {
            "chunks": chunks,
            "maxshape": tuple(dice.choice((None, size * 3)) for size in shape),
        }
    options = {"chunks": chunks, "compression": dice.choice(("gzip", "lzf", None))}
    options["shuffle"] = dice.random() < 0.5
    options["fletcher32"] = dice.random() < 0.5
    if dtype.kind in "iu" and dice.random() < 0.3:
        options["scaleoffset"] = 0
        options["fletcher32"] = False
    return options


def _list(change):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    change(plist)
    return plist


def add_dataset(dice, group, name):
    dtype = any_type(dice)
    shape = tuple(dice.randint(1, 12) for _ in range(dice.choice((0, 1, 1, 2, 3))))
    values = some_values(dice, shape, dtype)
    options = layout(dice, shape, values.dtype)
    if dice.random() < 0.5:
        options["track_times"] = dice.random() < 0.5
    dataset = group.create_dataset(name, data=values, **options)
    if any(size is None for size in options.get("maxshape", ())):
        dataset.resize(
            [
                size + 2 if most is None else size
                for size, most in zip(dataset.shape, dataset.maxshape)
            ]
        )
    if dice.random() < 0.4 and shape:
        dataset[(0,) * len(shape)] = values[(-1,) * len(shape)]
    return dataset


def add_special(dice, file, group, name):
    kind = dice.choice(
        ("strings", "vlen", "enum", "empty", "reference", "region", "committed", "virtual", "array")
    )
    if kind == "strings":
        group.create_dataset(
            name, data=["a" * dice.randint(0, 40) for _ in range(9)], dtype=h5py.string_dtype()
        )
    elif kind == "vlen":
        vlen = group.create_dataset(name, (5,), h5py.vlen_dtype("i4"), chunks=(2,))
        for i in range(dice.randint(0, 5)):
            vlen[i] = np.arange(dice.randint(1, 300))
    elif kind == "enum":
        enum = h5py.enum_dtype({"RED": 0, "BLUE": 42}, basetype="i2")
        group.create_dataset(name, (4, 4), enum, chunks=(3, 3), compression="gzip", fillvalue=42)
    elif kind == "empty":
        group[name] = h5py.Empty("f8")
    elif kind == "reference":
        group.create_dataset(name, data=[file.ref, group.ref], dtype=h5py.ref_dtype)
    elif kind == "region":
        target = group.create_dataset(name + "-target", data=np.arange(50).reshape(5, 10))
        regions = [target.regionref[1:3, ::2], target.regionref[4:, 0]]
        group.create_dataset(name, data=regions, dtype=h5py.regionref_dtype)
    elif kind == "committed":
        group[name] = COMPOUND
        group.create_dataset(name + "-use", (3,), group[name])
    elif kind == "virtual":
        source = group.create_dataset(name + "-source", data=np.arange(20))
        whole = h5py.VirtualLayout((2, 20), "i8")
        whole[0] = h5py.VirtualSource(source)
        group.create_virtual_dataset(name, whole, fillvalue=-1)
    elif kind == "array":
        group.create_dataset(name, (2,), np.dtype(("i4", (3, 2))))


def add_attributes(dice, target):
    for i in range(dice.choice((0, 1, 3, 12))):
        target.attrs[f"attribute {i}"] = dice.choice(
            (
                "text",
                "ü" * 80,
                3,
                2.5,
                [1, 2, 3],
                np.arange(30.0),
                b"bytes",
                True,
                np.array(["x", "yy"], "S2"),
            )
        )
    if dice.random() < 0.3:
        target.attrs["big"] = np.arange(5000)
        target.attrs.modify("big", np.arange(5000) * 2)
        del target.attrs["big"]


def add_links(dice, group):
    names = list(group)
    if names:
        group["hard"] = group[dice.choice(names)]
        group["soft"] = h5py.SoftLink("/" + dice.choice(names))
    group["external"] = h5py.ExternalLink("other.h5", "/x")
    if dice.random() < 0.3 and names:
        group.move("hard", "moved")
        group.copy(names[0], "copied")


def write_file(number, dice):
    options = file_options(dice)
    print(number, options)
    with h5py.File(f"{number:03}.h5", "w", **options) as file:
        groups = [file]
        for i in range(dice.randint(0, 6)):
            group = dice.choice(groups).create_group(f"group{i}", track_order=dice.random() < 0.5)
            groups.append(group)
        for i in range(dice.randint(1, 12)):
            add_attributes(dice, add_dataset(dice, dice.choice(groups), f"data{i}"))
        for i in range(dice.randint(0, 6)):
            add_special(dice, file, dice.choice(groups), f"special{i}")
        for group in groups:
            add_attributes(dice, group)
        add_links(dice, dice.choice(groups))
        if dice.random() < 0.3:
            file.flush()
        if dice.random() < 0.3:
            del file[dice.choice(list(file))]
        if dice.random() < 0.4 and options["libver"] == "latest" and "driver" not in options:
            file.swmr_mode = True
    change_again(dice, f"{number:03}.h5")


def change_again(dice, name):
    """A second session writes differently from the first: it meets what is there."""
    if dice.random() < 0.5:
        return
    with h5py.File(name, "a", locking=dice.choice((True, False, "best-effort"))) as file:
        add_attributes(dice, file)
        add_dataset(dice, file, "later")
        names = [key for key in file if key != "external"]
        del file[dice.choice(names)]


def main():
    seed, count = sys.argv[1:]
    for number in range(int(count)):
        try:
            write_file(number, random.Random(f"{seed}-{number}"))
        # Dice may ask for what HDF5 refuses, which must be refused equally.
        except Exception as error:  # noqa: BLE001
            print(number, "refused", type(error).__name__, error)


if __name__ == "__main__":
    main()
