"""Tells what comes of reading files: for each line of stdin, a line of JSON.

The arguments are the seconds that each may take and the libraries to read with.

A line is a path and, after tabs, the paths of datasets in it. Each file is read in processes of their
own, for some make a library crash or never return.
"""

import hashlib
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator

import h5py
import netCDF4
import numpy as np

MOST = 4_000_000  # elements; of more, only the first is read
REFUSED = (
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    MemoryError,
    AttributeError,
)


def told(value: object, file: h5py.File) -> str:
    """The value as text; references by what they lead to."""
    if isinstance(value, h5py.RegionReference) and value:
        region = h5py.h5r.get_region(value, file.id)
        return f"{name_of(value, file)} {region.get_select_npoints()} {region.get_select_bounds()}"
    if isinstance(value, h5py.Reference):
        return name_of(value, file) if value else "null"
    if isinstance(value, np.void) and value.dtype.names:
        return "(" + ", ".join(told(value[name], file) for name in value.dtype.names) + ")"
    if isinstance(value, np.ndarray) and value.dtype.names:
        # Between the members there may be anything.
        return " ".join(f"{name}: {told(value[name], file)}" for name in value.dtype.names)
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return "[" + ", ".join(told(one, file) for one in value.ravel()) + "]"
        return f"{value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    return repr(value)


def name_of(reference: h5py.Reference, file: h5py.File) -> str:
    try:
        return str(h5py.h5r.get_name(reference, file.id))
    except REFUSED:
        return "nowhere"


def attempt(read: Callable[[], str]) -> str:
    """What an error says may name an address; that there is one is enough."""
    try:
        return read()
    except REFUSED as error:
        return f"refused: {type(error).__name__}"


def with_h5py(path: str, names: list[str]) -> Iterator[tuple[str, str]]:
    with h5py.File(path) as file:
        for name in names:

            def read(name: str = name) -> str:
                data = file[name]
                part = (0,) * data.ndim if data.size and data.size > MOST else ()
                return f"{data.shape} {data.dtype} {told(data[part], file)}"

            yield name, attempt(read)


def with_netcdf4(path: str, names: list[str]) -> Iterator[tuple[str, str]]:
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_maskandscale(False)
        for group in (dataset, *dataset.groups.values()):
            sizes = {name: len(one) for name, one in group.dimensions.items()}
            # Attributes have an order where it was tracked, which only netCDF itself asks for.
            yield f"in {group.path}", f"{sizes} {list(group.variables)} {sorted(group.ncattrs())}"
            for name, one in group.variables.items():
                about = f"{one._varid} {one.dtype} {one.dimensions} {sorted(one.ncattrs())}"
                yield f"about {group.path}/{name}", about
        for name in names:

            def read(name: str = name) -> str:
                variable = dataset[name.lstrip("/")]
                part = (0,) * variable.ndim if variable.size > MOST else ...
                return f"{variable.shape} {told(np.asarray(variable[part]), None)}"

            yield name, attempt(read)


def outcomes(read: Callable, path: str, names: list[str]) -> dict[str, str]:
    try:
        return dict(read(path, names))
    except REFUSED as error:
        return {"": f"refused: {type(error).__name__}"}


def in_child(read: Callable, path: str, names: list[str], seconds: int) -> dict[str, str]:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        with os.fdopen(theirs, "w") as out:
            out.write(json.dumps(outcomes(read, path, names)))
        os._exit(0)
    os.close(theirs)
    ended, _, _ = select.select([ours], [], [], seconds)
    if not ended:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(ours) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if not ended:
        return {"": "no end"}
    return json.loads(text) if status == 0 else {"": f"crashed: {status}"}


def main() -> None:
    readers = {"h5py": with_h5py, "netCDF4": with_netcdf4}
    seconds, libraries = int(sys.argv[1]), sys.argv[2:]
    for line in sys.stdin:
        path, *names = line.rstrip("\n").split("\t")
        found = {one: in_child(readers[one], path, names, seconds) for one in libraries}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
