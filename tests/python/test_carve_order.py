"""Carved files list links in the order of their originals, whatever has been done to their groups.

Groups of the oldest format turn into newer ones with the first link that those did not know: an external
one, or one with a name in Unicode. From then on the order of their links is that of their headers.
"""

import os
import random
from pathlib import Path

import h5py
import numpy as np
from carving import carve, copy_of, run

FILES = 40
NUMBERS = np.arange(100.0)


def listed(group: h5py.Group) -> list[bytes]:
    """As they were made, where that is tracked, else as they are stored."""
    names = []
    order = {"order": h5py.h5.ITER_NATIVE}
    if group.id.get_create_plist().get_link_creation_order():
        order = {"idx_type": h5py.h5.INDEX_CRT_ORDER}
    group.id.links.iterate(names.append, **order)
    return names


def groups_in(file: h5py.File) -> list[h5py.Group]:
    found = [file["/"]]
    file.visititems(lambda _, one: found.append(one) if isinstance(one, h5py.Group) else None)
    return found


def add_link(draw: random.Random, group: h5py.Group, name: str) -> None:
    kinds = [NUMBERS] * 3 + [group.file["0"], h5py.SoftLink("/0"), h5py.SoftLink("gone")]
    kinds += [h5py.ExternalLink("other.h5", f"/{'long' * draw.randrange(9)}")]
    group[name] = draw.choice(kinds)


def change(draw: random.Random, groups: list[h5py.Group], number: int) -> None:
    """One link more in one of the groups, or some fewer, or an attribute among them."""
    group = draw.choice(groups)
    what = draw.choice(["link"] * 8 + ["ünïcode", "group", "attribute", "delete", "delete all"])
    name = f"{what if what in ('ünïcode', 'group') else ''}{'long' * draw.randrange(4)}{number}"
    if what == "group":
        tracked = draw.random() < 0.2
        groups.append(group.create_group(name, track_order=tracked))
    elif what == "attribute":
        group.attrs[name] = np.zeros(draw.choice([1, 9]))
    elif what.startswith("delete"):
        others = [one for one in group if one != "0" and not one.startswith("group")]
        for one in draw.sample(others, len(others) if what == "delete all" else len(others) // 3):
            del group[one]
    else:
        add_link(draw, group, name)


def make_file(draw: random.Random, path: Path) -> None:
    # Most files are as h5py makes them if nobody asks for anything.
    libver = draw.choice([None, None, None, ("earliest", "v110"), "v110", "latest"])
    with h5py.File(path, "w", libver=libver, track_order=draw.random() < 0.1) as f:
        f["0"] = NUMBERS
        groups = [f["/"]]
        for number in range(draw.choice([3, 8, 12, 40, 120])):
            change(draw, groups, number + 1)


def test_links_are_listed_in_the_order_of_the_original(tmp_path: Path) -> None:
    seed = random.Random(os.environ["QUARRY_SEED"] + " order of links").randrange(10**9)
    print("seed", seed)
    draw = random.Random(seed)
    for number in range(FILES):
        make_file(draw, tmp_path / f"{number}.h5")
    run(tmp_path, f"import h5py\nfor n in range({FILES}): h5py.File(f'{{n}}.h5')['0'][...]")
    fates = carve(tmp_path, "t", "--keep-below", "0")["files"]
    assert not [(fate["original"], fate["why_whole"]) for fate in fates if fate["why_whole"]]
    for fate in fates:
        path = Path(fate["original"])
        with h5py.File(path) as old, h5py.File(copy_of(path)) as new:
            for group in groups_in(old):
                assert listed(new[group.name]) == listed(group), f"{path}: {group}"
