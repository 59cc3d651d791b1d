"""`H5Ocopy` on carved data: copied is what the file has, with what was carved away, or nothing."""

from pathlib import Path

import h5py
import pytest
from carved_runs import make, natively, on_carved
from carving import run

from cli import quarry


@pytest.mark.parametrize("what", ("gzip", "group", "partly", "used", "/"))
def test_copies_are_made_of_the_original(carved: Path, what: str) -> None:
    program = f"""
import h5py
f, g = h5py.File("in.h5"), h5py.File("out.h5", "w")
f.copy("{what}", g, "copy")
found = []
g.visititems(lambda name, one: found.append((name, str(one[5]))) if isinstance(one, h5py.Dataset) else None)
print(found)
"""
    folder = carved.parent
    expected = natively(folder, program)
    assert on_carved(folder, program).stdout == expected
    (folder / "in.h5").rename(folder / "away.h5")
    done = on_carved(folder, program)
    if what == "used":
        assert done.stdout == expected
    else:
        assert done.returncode == 1 and "cannot be copied without its original" in done.stderr


@pytest.mark.parametrize(
    "call",
    (
        "f.copy(f['gzip'], g, 'copy')",
        "f['group'].copy('/gzip', g, 'copy')",
        "f['group'].copy('link', g, 'copy')",
        "f.copy(f['empty'], g, 'copy')",
        "f['empty'].copy('/used', g, 'copy')",
        "h5py.File('links.h5').copy('outside', g, 'copy')",
    ),
)
def test_copies_in_every_form(tmp_path: Path, call: str) -> None:
    with h5py.File(make(tmp_path / "in.h5"), "a") as f:
        f.create_group("empty").attrs["x"] = 1
    with h5py.File(tmp_path / "links.h5", "w") as f:
        f["outside"] = h5py.ExternalLink("in.h5", "/contiguous")
    run(tmp_path, "import h5py; h5py.File('in.h5')['used'][0]")
    assert quarry("carve", "t", "-o", "small", cwd=tmp_path).returncode == 0
    program = f"""
import h5py
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    {call}
    print(g["copy"], dict(g["copy"].attrs), isinstance(g["copy"], h5py.Dataset) and g["copy"][5].sum())
"""
    expected = natively(tmp_path, program)
    done = on_carved(tmp_path, program, options=("--grow",))
    assert done.stdout == expected, done.stderr
    (tmp_path / "in.h5").rename(tmp_path / "away.h5")
    done = on_carved(tmp_path, program)
    assert done.stdout == expected, done.stderr


def test_groups_are_not_copied_with_what_is_in_other_files(carved: Path) -> None:
    with h5py.File(carved.parent / "links.h5", "w") as f:
        f["group/outside"] = h5py.ExternalLink("in.h5", "/contiguous")
    program = """
import h5py
with h5py.File("links.h5") as f, h5py.File("out.h5", "w") as g:
    f.copy("group", g, "as it is")
    try:
        f.copy("group", g, "copy", expand_external=True)
    except (OSError, RuntimeError):
        print(list(g), "refused")
"""
    done = on_carved(carved.parent, program)
    assert done.stdout == "['as it is'] refused\n"
    assert "group cannot be copied with what its external links lead to" in done.stderr


@pytest.mark.parametrize("soft", (True, False))
def test_groups_without_external_links_are_copied_with_any_option(carved: Path, soft: bool) -> None:
    program = f"""
import h5py
with h5py.File("in.h5") as f, h5py.File("own.h5", "w") as own, h5py.File("out.h5", "w") as g:
    own["group/d"] = [1, 2, 3]
    own["outside"] = h5py.ExternalLink("in.h5", "/contiguous")
    for source, name in ((own, "own"), (f, "copy")):
        source.copy("group", g, name, expand_external=True, expand_soft={soft})
        print([(key, one and one[2]) for key, one in g[name].items()])
"""
    expected = natively(carved.parent, program)
    done = on_carved(carved.parent, program)
    assert done.stdout == expected, done.stderr


@pytest.mark.parametrize("options", ((), ("--in-place",), ("--writes", "copy")))
@pytest.mark.parametrize("what", ("gzip", "group", "/", "group/link", "group/soft"))
def test_copies_of_objects_that_are_open(carved: Path, what: str, options: tuple) -> None:
    """HDF5 is given no path then."""
    program = f"""
import h5py
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    f.copy(f["{what}"], g, "copy")
    one = g["copy"]
    print(one[5] if isinstance(one, h5py.Dataset) else [(name, str(one.get(name))) for name in one])
"""
    done = on_carved(carved.parent, program, options=options)
    assert done.stdout == natively(carved.parent, program), done.stderr


def test_what_is_not_copied_is_named(carved: Path) -> None:
    program = """
import h5py
with h5py.File("in.h5", "r+") as f, h5py.File("out.h5", "w") as g:
    for name in ("group/link", "group"):
        try:
            f.copy(f[name], g, "copy")
        except (OSError, RuntimeError):
            print("refused")
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == "refused\nrefused\n"
    assert "in.h5: data of /gzip was left out" in done.stderr
    assert "in.h5: data of /group was left out" in done.stderr


def test_copies_of_what_may_have_changed_are_refused(carved: Path) -> None:
    """By its path, the original has something else."""
    program = """
import h5py, numpy as np
f, g = h5py.File("in.h5", "r+"), h5py.File("out.h5", "w")
f["group/new"] = [1]
try:
    f.copy("group", g, "copy")
except (OSError, RuntimeError):
    print("refused")
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == "refused\n" and "open for reading" in done.stderr


# The program changes what it was given a copy of, and copies from that.
CHANGE = "f['group/link'].attrs['of'] = 2; f['group/new'] = [1]"
COPIES = """
with h5py.File(folder + "/out.h5", "w") as g:
    for what in ("gzip", "group"):
        try:
            f.copy(what, g)
            print(what, dict(g[what].attrs), list(g))
        except (OSError, RuntimeError):
            print(what, "refused")
"""
WAYS = {
    "closed": "f.close(); f = h5py.File('in.h5')",
    "closed, its time set back": "f.close(); os.utime('in.h5', ns=times); f = h5py.File('in.h5')",
    "open still": "os.chdir('/')",
    "flushed": "f.flush(); os.utime('in.h5', ns=times); os.chdir('/')",
}


@pytest.mark.parametrize("way", WAYS)
def test_copies_of_what_was_changed_before_are_refused(carved: Path, way: str) -> None:
    """The original has what there was before."""
    program = f"""
import h5py, os
folder, times = os.getcwd(), (os.stat("in.h5").st_atime_ns, os.stat("in.h5").st_mtime_ns)
f = h5py.File("in.h5", "r+")
{CHANGE}
{WAYS[way]}
{COPIES}
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == "gzip refused\ngroup refused\n", done.stderr
    assert "as it was carved" in done.stderr


def test_copies_of_what_could_be_changed_but_was_not(carved: Path) -> None:
    program = f"""
import h5py, os
folder = os.getcwd()
f = h5py.File("in.h5")
os.chdir("/")
{COPIES}
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == natively(carved.parent, program), done.stderr


def test_copies_of_what_a_program_has_changed_in_memory_are_refused(carved: Path) -> None:
    program = f"""
import h5py, os
folder = os.getcwd()
f = h5py.File("in.h5", "r+", driver="core", backing_store=False)
{CHANGE}
{COPIES}
"""
    done = on_carved(carved.parent, program, options=("--writes", "copy"))
    assert done.stdout == "gzip refused\ngroup refused\n", done.stderr


def test_copies_in_a_file_that_was_made_anew(tmp_path: Path) -> None:
    """Its datasets lie where there were others."""
    make_all = """
import h5py, numpy as np
def make(value):
    with h5py.File("in.h5", "w") as f:
        f["read"] = np.arange(1000)
        for i in range(300):
            f[f"group/{i}"] = np.full(200, value)
"""
    natively(tmp_path, f"{make_all}\nmake(1)")
    run(tmp_path, "import h5py; h5py.File('in.h5')['read'][0]")
    words = ("carve", "t", "-o", "small", "--keep-below", "0")
    assert quarry(*words, cwd=tmp_path).returncode == 0
    program = f"""
{make_all}
make(2)
with h5py.File("in.h5", "r+") as f, h5py.File("out.h5", "w") as g:
    f.copy("group", g)
    f.copy("group", "again")
    print(*(h[name][0] for h in (g["group"], f["again"]) for name in ("5", "77")))
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    f.copy("group", g)
    print(g["group/5"][0], g["group/77"][0])
"""
    done = on_carved(tmp_path, program, options=("--writes", "copy"))
    assert done.stdout == "2 2 2 2\n2 2\n", done.stderr


@pytest.mark.parametrize("what", ("gzip", "group", "used"))
def test_with_another_connector_below(carved: Path, what: str) -> None:
    """It is not asked where its data lies; hollow datasets are not to be found in outputs later."""
    program = f"""
import h5py
with h5py.File("in.h5") as f, h5py.File("out.h5", "w") as g:
    print(f["used"].shape, f["used"][5, 0] > 0)
    try:
        f.copy("{what}", g, "copy")
        print(g["copy"].shape)
    except (OSError, RuntimeError):
        print("refused")
"""
    under = ("--under", "pass_through under_vol=0;under_info={}")
    done = on_carved(carved.parent, program, options=under)
    outcome = "(400, 30)" if what == "used" else "refused"
    assert done.stdout == f"(400, 30) True\n{outcome}\n", done.stderr
    assert done.stderr.count("another connector below Quarry than HDF5's own") == 1
