"""Virtual datasets and links that lead to carved files: right, or refused."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_runs import natively, on_carved
from carving import carve, copy_of, run, verify

from cli import quarry

# Each line is a value, or that there was an error.
LED_THERE = """
import h5py, os, sys
def tell(what, ask):
    try: print(what, ask())
    except (KeyError, OSError, RuntimeError): print(what, "refused")
path = os.path.abspath("in.h5")
fixed, growing = h5py.VirtualLayout((50,), "f8"), h5py.VirtualLayout((20,), "f8", maxshape=(None,))
fixed[...] = h5py.VirtualSource(path, "used", (50,))
growing[:h5py.h5s.UNLIMITED] = h5py.VirtualSource(path, "growing", (20,), maxshape=(None,))[:h5py.h5s.UNLIMITED]
with h5py.File("own.h5", "w") as f:
    f["link"] = h5py.ExternalLink("in.h5", "used")
    f.create_virtual_dataset("fixed", fixed, fillvalue=-1)
    try: f.create_virtual_dataset("growing", growing, fillvalue=-1)
    except RuntimeError: pass
with h5py.File("own.h5", sys.argv[1]) as f:
    tell("link", lambda: f["link"][1])
    tell("fixed", lambda: f["fixed"][:3].tolist())
    tell("growing", lambda: f["growing"][:3].tolist())
    tell("shape", lambda: f["growing"].shape)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = np.arange(50.0) + 1
        f.create_dataset("growing", data=np.arange(20.0) + 1, maxshape=(None,), chunks=(5,))
        f["unused"] = np.arange(40_000)
    return tmp_path


@pytest.mark.parametrize("are_originals_there", (True, False))
@pytest.mark.parametrize("mode", ("r", "a"))
@pytest.mark.parametrize("writes", ("refuse", "copy"))
def test_what_leads_there_from_a_file_of_the_program(
    folder: Path, writes: str, mode: str, are_originals_there: bool
) -> None:
    """HDF5 opens it for writing if that file is, and has fill values where it may not."""
    run(folder, "import h5py; f = h5py.File('in.h5'); f['used'][0]; f['growing'][0]")
    carve(folder, "t")
    expected = natively(folder, LED_THERE, mode)
    assert expected.startswith("link 2.0\nfixed [1.0, 2.0, 3.0]\n")
    if not are_originals_there:
        (folder / "in.h5").rename(folder / "away.h5")
    done = on_carved(folder, LED_THERE, mode, options=("--writes", writes))
    assert done.returncode == 0
    if mode == "a" and writes == "refuse":
        refused = "link refused\nfixed refused\ngrowing refused\nshape refused\n"
        assert done.stdout == refused
        assert done.stderr.count("is a carved copy, which is not written to") == 1
        assert "--writes copy" in done.stderr
    else:
        assert done.stdout == expected


@pytest.mark.parametrize("are_originals_there", (True, False))
def test_in_place_what_leads_there_does_not_write_to_it(
    folder: Path, are_originals_there: bool
) -> None:
    """Neither to the copy nor to the original, whoever may write to them."""
    run(folder, "import h5py; f = h5py.File('in.h5'); f['used'][0]; f['growing'][0]")
    carve(folder, "t")
    if not are_originals_there:
        (folder / "in.h5").rename(folder / "away.h5")
    files = [copy_of(folder / "in.h5"), folder / ("in.h5" if are_originals_there else "away.h5")]
    before = [file.read_bytes() for file in files]
    program = f"""{LED_THERE}
def write(): f["link"][0] = 99
with h5py.File("own.h5", "a") as f: tell("write", write)
"""
    done = on_carved(folder, program, "a", options=("--in-place",))
    refused = ("link", "fixed", "growing", "shape", "write")
    assert done.stdout == "".join(f"{what} refused\n" for what in refused), done.stderr
    assert done.stderr.count("is a carved copy, which is not written to") == 1
    assert "--writes copy`, without --in-place, lets it" in done.stderr
    assert [file.read_bytes() for file in files] == before


@pytest.fixture
def virtual(tmp_path: Path) -> Path:
    """A virtual dataset of three sources, and one with its data in a file of bytes."""
    layout = h5py.VirtualLayout((3, 1000), "f8")
    for i in range(3):
        with h5py.File(tmp_path / f"s{i}.h5", "w") as f:
            f["d"] = np.full(1000, i + 1.0)
        layout[i] = h5py.VirtualSource(f"s{i}.h5", "d", (1000,))
    np.full(1000, 5.0).tofile(tmp_path / "raw.bin")
    with h5py.File(tmp_path / "v.h5", "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
        f.create_dataset("e", (1000,), "f8", external=[("raw.bin", 0, 8000)])
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["d"] = np.arange(1000)
    return tmp_path


READ = """
import h5py
with h5py.File("other.h5") as f: f["d"][0]
with h5py.File("v.h5") as f: print(f["v"][:, 0], f["e"][0])
"""


def refused(folder: Path, *words: str) -> dict[str, str]:
    """Why files are not carved, by their names."""
    done = quarry("carve", "t", "-o", "small", "--json", *words, cwd=folder)
    assert done.returncode == 1
    files = json.loads(done.stdout)["files"]
    return {Path(f["original"]).name: f["problem"] for f in files if f.get("problem")}


def write(path: Path, value: float) -> None:
    if path.suffix == ".bin":
        np.full(1000, value).tofile(path)
    else:
        with h5py.File(path, "r+") as f:
            f["d"][...] = value


@pytest.mark.parametrize("words", ((), ("--file", "*/v.h5")))
@pytest.mark.parametrize("name", ("s0.h5", "raw.bin"))
@pytest.mark.parametrize("change", ("written", "removed"))
def test_data_elsewhere_that_is_not_what_was_read(
    virtual: Path, change: str, name: str, words: tuple[str, ...]
) -> None:
    """Also where only the file that leads there was asked for."""
    run(virtual, READ)
    changes: dict[str, Callable] = {"written": lambda p: write(p, 99.0), "removed": os.unlink}
    changes[change](virtual / name)
    found = refused(virtual, *words)
    assert found.keys() == {name, "v.h5"} and name in found["v.h5"]
    assert not (virtual / "small").exists()


@pytest.mark.parametrize("words", ((), ("--file", "*/v.h5", "--file", "other.h5")))
def test_data_elsewhere_that_the_program_has_written_to(
    virtual: Path, words: tuple[str, ...]
) -> None:
    """As it was read it is not there any more; what does not need it is carved."""
    run(virtual, READ + "with h5py.File('s0.h5', 'a') as f: f['d'][...] = 7")
    assert refused(virtual, *words).keys() == {"s0.h5", "v.h5"}
    assert copy_of(virtual / "other.h5").exists()
    assert not copy_of(virtual / "v.h5").exists()
    carved = json.loads((virtual / "small/quarry-carved.json").read_text())["files"]
    assert "v.h5" not in {Path(one["original"]).name for one in carved}
    carve(virtual, "t", "--file", "v.h5", "--drop", "/v")


def test_files_that_were_not_asked_for_come_along_only_if_data_lies_there(virtual: Path) -> None:
    run(virtual, READ)
    fates = carve(virtual, "t", "--file", "*/v.h5")["files"]
    assert {Path(one["original"]).name for one in fates} == {
        "v.h5",
        "s0.h5",
        "s1.h5",
        "s2.h5",
        "raw.bin",
    }
    expected = natively(virtual, READ)
    for name in ("v.h5", "s0.h5", "s1.h5", "s2.h5", "raw.bin"):
        (virtual / name).unlink()
    assert on_carved(virtual, READ).stdout == expected


def test_a_virtual_dataset_that_a_newer_hdf5_has_written(tmp_path: Path) -> None:
    """HDF5 2 names each source once, in a form that older ones do not know."""
    if h5py.version.hdf5_version_tuple < (2,):
        pytest.skip("needs h5py with HDF5 2")
    layout = h5py.VirtualLayout((6, 50), "f8")
    for i in range(3):
        with h5py.File(tmp_path / f"source{i}.h5", "w") as f:
            f["d"] = np.full(100, i + 1.0)
        source = h5py.VirtualSource(f"source{i}.h5", "d", (100,))
        layout[2 * i], layout[2 * i + 1] = source[:50], source[50:]
    with h5py.File(tmp_path / "v.h5", "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    run(tmp_path, "import h5py; h5py.File('v.h5')['v'][0, 0]")
    found = refused(tmp_path)
    assert found.keys() == {"v.h5"} and "newer" in found["v.h5"]


@pytest.mark.parametrize("whole", (False, True), ids=("carved", "copied whole"))
@pytest.mark.parametrize("name", ("s1.h5", "raw.bin"))
@pytest.mark.parametrize("change", ("written", "removed"))
def test_verify_sees_other_data_about_the_copy(
    virtual: Path, change: str, name: str, whole: bool
) -> None:
    run(virtual, READ + ("open('v.h5', 'rb').read()" if whole else ""))
    carve(virtual, "t")
    original, copy = virtual / "v.h5", copy_of(virtual / "v.h5")
    found = verify(original, copy, cwd=virtual)
    assert found["same"] and found["equal_bytes"] == whole and found["not_read"] == 0
    changed = copy_of(virtual / name)
    write(changed, 99.0) if change == "written" else changed.unlink()
    found = verify(original, copy, cwd=virtual)
    assert [one["object"] for one in found["differences"]] == ["/e" if name == "raw.bin" else "/v"]
    if name == "raw.bin":
        found = verify(original, copy, cwd=virtual.parent)
        assert not found["same"] and found["datasets_not_read"] == ["/e"]
        done = quarry("verify", original, copy, cwd=virtual.parent)
        assert "What could be compared is the same" in done.stdout
        assert "Not compared: /e." in done.stdout


NAMES_OVER_LINKS = ("link/s.h5", "chain/s.h5", "far/s.h5", "file.h5", "hard.h5")


@pytest.mark.parametrize("name", (*NAMES_OVER_LINKS, "other/../deep/s.h5", "link/../s.h5"))
def test_a_source_whose_name_leads_over_links(tmp_path: Path, name: str) -> None:
    """HDF5 follows it as it is written, also where the copies lie."""
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    (folder / "other").mkdir()
    source = folder / ("s.h5" if name == "link/../s.h5" else "deep/s.h5")
    with h5py.File(source, "w") as f:
        f["d"], f["unread"] = np.arange(20_000.0) + 1, np.arange(20_000.0)
    for link, target in (("link", "deep"), ("chain", "link"), ("far", folder / "deep")):
        (folder / link).symlink_to(target)
    (folder / "file.h5").symlink_to("deep/s.h5")
    if name == "hard.h5":
        (folder / name).hardlink_to(source)
    layout = h5py.VirtualLayout((20_000,), "f8")
    layout[...] = h5py.VirtualSource(name, "d", (20_000,))
    with h5py.File(folder / "v.h5", "w", libver="v110") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-5)
    program = f"""
import h5py
{"h5py.File('data/deep/s.h5')['unread'][0]" if name == "hard.h5" else ""}
print(h5py.File("data/v.h5")["v"][:2].tolist())
"""
    run(tmp_path, program)
    for _ in range(2):  # into the same directory again
        carve(tmp_path, "t")
    original, copy = folder / "v.h5", copy_of(folder / "v.h5", tmp_path)
    assert verify(original, copy)["same"]
    folder.rename(tmp_path / "away")
    with h5py.File(copy) as f:
        assert f["v"][:2].tolist() == [1.0, 2.0]
    if name in NAMES_OVER_LINKS:
        assert on_carved(tmp_path, program).stdout == "[1.0, 2.0]\n"
    (tmp_path / "away").rename(folder)
    (copy_of(folder, tmp_path) / Path(name).parts[0]).rename(tmp_path / "taken")
    found = verify(original, copy)
    assert [one["object"] for one in found["differences"]] == ["/v"]


@pytest.mark.parametrize("more", ("", "h5py.File('deep/src.h5')['other'][0]"))
def test_a_source_that_was_found_by_a_prefix(tmp_path: Path, more: str) -> None:
    """Where it is, only the program knew: it comes along, or what needs it is not carved."""
    (tmp_path / "deep").mkdir()
    with h5py.File(tmp_path / "deep/src.h5", "w") as f:
        f["s"], f["other"] = np.full(10, 5.0), np.arange(10)
    layout = h5py.VirtualLayout((10,), "f8")
    layout[...] = h5py.VirtualSource("src.h5", "s", (10,))
    with h5py.File(tmp_path / "v.h5", "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    program = f"""
import os; os.environ["HDF5_VDS_PREFIX"] = "deep"
import h5py
print(h5py.File("v.h5")["v"][:2].tolist())
{more}
"""
    run(tmp_path, program)
    carve(tmp_path, "t", "--file", "v.h5")
    (tmp_path / "v.h5").rename(tmp_path / "w.h5")
    (tmp_path / "deep/src.h5").rename(tmp_path / "deep/away.h5")
    assert on_carved(tmp_path, program).stdout == "[5.0, 5.0]\n"
    (tmp_path / "w.h5").rename(tmp_path / "v.h5")
    (tmp_path / "deep/away.h5").rename(tmp_path / "deep/src.h5")
    write_too = "with h5py.File('deep/src.h5', 'a') as f: f['s'][...] = 7"
    run(tmp_path, f"{program}\n{write_too}", trace="written")
    (tmp_path / "t").rename(tmp_path / "before")
    (tmp_path / "written").rename(tmp_path / "t")
    for words in ((), ("--file", "v.h5")):
        assert refused(tmp_path, *words).keys() == {"src.h5", "v.h5"}


@pytest.mark.parametrize(
    ("where", "name"),
    (("decoy", "../data/in.h5"), ("decoy", "../link/in.h5"), (".", "elsewhere/in.h5")),
)
def test_in_place_other_files_are_found_beside_the_original(
    tmp_path: Path, where: str, name: str
) -> None:
    """Not beside its copy, nor first where the program is."""
    for folder in ("data", "decoy", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to("data")
    layout = h5py.VirtualLayout((100,), "f8")
    layout[:] = h5py.VirtualSource("source.h5", "d", (100,))
    with h5py.File(tmp_path / "data/in.h5", "w") as f:
        f["unread"] = np.arange(100_000)
        f["outside"] = h5py.ExternalLink("other.h5", "/d")
        f.create_virtual_dataset("virtual", layout, fillvalue=-1)
    run(tmp_path, "import h5py; h5py.File('data/in.h5')['virtual'][0]")
    carve(tmp_path, "t")
    for other in ("other.h5", "source.h5"):
        for folder, value in (("data", 1), ("decoy", -999)):
            with h5py.File(tmp_path / folder / other, "w") as f:
                f["d"] = np.full(100, value)
    (tmp_path / "elsewhere/in.h5").symlink_to("../data/in.h5")
    program = f"""
import h5py
f = h5py.File("{name}")
print(f.filename, f["outside"][3], f["virtual"][3])
try: f["unread"][0]
except OSError: print("refused")
"""
    command = ("--in-place", "--missing", "error", "--", sys.executable, "-c", program)
    done = quarry(
        "run", "--no-trace", "--carved", tmp_path / "small", *command, cwd=tmp_path / where
    )
    assert done.stdout == natively(tmp_path / where, program) + "refused\n", done.stderr
    assert done.stdout == f"{name} 1 1.0\nrefused\n"


@pytest.mark.parametrize("link", ("A/v.h5", "latest"), ids=("file", "directory"))
@pytest.mark.parametrize("means", ((), ("--in-place",)), ids=("mounted", "in place"))
def test_virtual_data_in_a_file_by_another_name(tmp_path: Path, link: str, means: tuple) -> None:
    """Its sources lie beside where the link leads, which is away as well."""
    data = tmp_path / "data"
    (data / "B").mkdir(parents=True)
    (data / "A").mkdir()
    for name, first in (("s.h5", 1), ("t.h5", 5)):
        with h5py.File(data / "B" / name, "w") as f:
            f["d"] = np.arange(20000.0) + first
    with h5py.File(data / "B/v.h5", "w") as f:
        layout = h5py.VirtualLayout((40000,), "f8")
        layout[:20000] = h5py.VirtualSource("s.h5", "d", (20000,))
        layout[20000:] = h5py.VirtualSource("t.h5", "d", (20000,))
        f.create_virtual_dataset("v", layout, fillvalue=-5)
    path = data / link
    path.symlink_to("../B/v.h5" if link.endswith(".h5") else "B")
    name = path if link.endswith(".h5") else path / "v.h5"
    program = f"import h5py; v = h5py.File({str(name)!r})['v']; print(v[:2])"
    run(tmp_path, program)
    carve(tmp_path, "t")
    data.rename(tmp_path / "away")
    command = (sys.executable, "-c", program.replace("v[:2]", "v[:2], v[-2:]"))
    done = quarry("run", "--no-trace", "--carved", "small", *means, "--", *command, cwd=tmp_path)
    assert done.stdout == "[1. 2.] [20003. 20004.]\n", done.stderr
    assert not data.exists()


@pytest.mark.parametrize("name", ("lnk/s.h5", "filelink.h5", "other/../sub/s.h5"))
@pytest.mark.parametrize("means", ((), ("--in-place",)), ids=("mounted", "in place"))
def test_the_way_to_a_source_is_there_for_programs(tmp_path: Path, name: str, means: tuple) -> None:
    """Also to one that nobody has read."""
    data = tmp_path / "data"
    for directory in ("sub", "other"):
        (data / directory).mkdir(parents=True)
    (data / "lnk").symlink_to("sub")
    (data / "filelink.h5").symlink_to("sub/s.h5")
    with h5py.File(data / "sub/s.h5", "w") as f:
        f["d"] = np.arange(20000.0) + 1
    with h5py.File(data / "v.h5", "w") as f:
        f["x"] = 1
        layout = h5py.VirtualLayout((20000,), "f8")
        layout[:] = h5py.VirtualSource(name, "d", (20000,))
        f.create_virtual_dataset("v", layout, fillvalue=-5)
    run(tmp_path, "import h5py; h5py.File('data/v.h5')['x'][()]")
    carve(tmp_path, "t", "--keep", "/v")
    data.rename(tmp_path / "away")
    command = (sys.executable, "-c", "import h5py; print(h5py.File('data/v.h5')['v'][:2])")
    done = quarry("run", "--no-trace", "--carved", "small", *means, "--", *command, cwd=tmp_path)
    assert done.stdout == "[1. 2.]\n", done.stderr
    assert not data.exists()


def test_a_source_that_was_left_out_on_purpose(tmp_path: Path) -> None:
    """HDF5 alone knows which one it was."""
    with h5py.File(tmp_path / "source.h5", "w") as f:
        f["kept"], f["left out"] = np.arange(20_000.0), np.arange(20_000.0)
    with h5py.File(tmp_path / "in.h5", "w") as f:
        layout = h5py.VirtualLayout((2, 20_000), "f8")
        for row, name in enumerate(("kept", "left out")):
            layout[row] = h5py.VirtualSource("source.h5", name, (20_000,))
        f.create_virtual_dataset("virtual", layout, fillvalue=-1)
    run(tmp_path, "import h5py; h5py.File('in.h5')['virtual'][...]")
    assert quarry("carve", "t", "-o", "small", "--drop", "/left out", cwd=tmp_path).returncode == 0
    read = "import h5py; print(h5py.File('in.h5')['virtual'][{}, 5])"
    done = on_carved(tmp_path, read.format(0))
    assert (done.stdout, done.stderr) == ("5.0\n", "")
    done = on_carved(tmp_path, read.format(1))
    assert done.returncode == 1 and not done.stdout
    assert f"{tmp_path}/in.h5: HDF5 cannot give what is asked for of /virtual" in done.stderr
    assert "--drop" in done.stderr
