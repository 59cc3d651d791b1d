"""What datasets that are kept have in other files is carved with them, however HDF5 finds it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from carving import carve, copy_of, run, verify

from cli import QUARRY, quarry

VALUES = np.arange(20000.0) + 5
READ = "import h5py; print(h5py.File('in.h5')['{}'][:2])"


def add_virtual(f: h5py.File, name: str, source: str, dataset: str = "s") -> None:
    layout = h5py.VirtualLayout(VALUES.shape, "f8")
    layout[:] = h5py.VirtualSource(source, dataset, VALUES.shape)
    f.create_virtual_dataset(name, layout)


def make_source(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as f:
        f["s"], f["other"] = VALUES, VALUES
    return path


def alone(folder: Path, code: str, *inputs: Path) -> str:
    """What a program prints on carved data, with the originals away."""
    for path in inputs:
        path.unlink()
    done = quarry(
        "run", "--no-trace", "--carved", "small", "--", sys.executable, "-c", code, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_virtual_data_in_a_file_that_is_copied_whole(tmp_path: Path) -> None:
    """It is not hollow there: without its sources it would be fill values."""
    source = make_source(tmp_path / "src.h5")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = VALUES
        add_virtual(f, "unread", "src.h5")
    run(tmp_path, "import h5py; h5py.File('in.h5')['used'][0]; open('in.h5', 'rb').read()")
    for options in (("--dry-run",), ()):
        fates = carve(tmp_path, "t", *options)["files"]
        assert [Path(fate["original"]).name for fate in fates] == ["in.h5", "src.h5"]
    assert alone(tmp_path, READ.format("unread"), tmp_path / "in.h5", source) == "[5. 6.]\n"


@pytest.mark.parametrize("named", ("gone/src.h5", "link.h5", "hard.h5", "linked/src.h5"))
def test_sources_of_what_is_only_to_be_kept(tmp_path: Path, named: str) -> None:
    source = make_source(tmp_path / "src.h5")
    (tmp_path / "link.h5").symlink_to("src.h5")
    (tmp_path / "hard.h5").hardlink_to(source)
    (tmp_path / "linked").symlink_to(".")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = VALUES
        # Of a path from the root that leads nowhere, HDF5 looks for the last name.
        add_virtual(f, "kept", f"/nowhere/{named}" if "gone" in named else named)
    run(tmp_path, "import h5py; h5py.File('in.h5')['used'][0]; h5py.File('src.h5')['other'][0]")
    carve(tmp_path, "t", "--keep", "/kept")
    away = [tmp_path / name for name in ("in.h5", "src.h5", "link.h5", "hard.h5", "linked")]
    assert alone(tmp_path, READ.format("kept"), *away) == "[5. 6.]\n"


def test_a_source_behind_several_links(tmp_path: Path) -> None:
    source = make_source(tmp_path / "src.h5")
    with h5py.File(tmp_path / "between.h5", "w") as f:
        f["soft"] = h5py.SoftLink("/l")
        f["l"] = h5py.ExternalLink("src.h5", "/s")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        add_virtual(f, "v", "between.h5", "soft")
    run(tmp_path, READ.format("v"))
    carve(tmp_path, "t", "--keep-below", "0")
    away = (tmp_path / "in.h5", tmp_path / "between.h5", source)
    assert alone(tmp_path, READ.format("v"), *away) == "[5. 6.]\n"


def with_prefix(program: str) -> str:
    return f"import os; os.environ['HDF5_VDS_PREFIX'] = 'deep'\n{program}"


OPENS_IT_TOO = "import h5py; h5py.File('deep/src.h5')['other'][0]"


@pytest.mark.parametrize("traces", (["t"], ["one", "two"], ["two", "one"]))
def test_a_source_that_hdf5_finds_by_a_prefix(tmp_path: Path, traces: list[str]) -> None:
    """And that the program has opened for other data, in the same run or in another."""
    source = make_source(tmp_path / "deep/src.h5")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        add_virtual(f, "v", "src.h5")
    virtual = with_prefix(READ.format("v"))
    run(tmp_path, f"{virtual}\n{OPENS_IT_TOO}")
    run(tmp_path, OPENS_IT_TOO, trace="one")
    run(tmp_path, virtual, trace="two")
    carve(tmp_path, *traces, "--keep-below", "0")
    assert alone(tmp_path, virtual, tmp_path / "in.h5", source) == "[5. 6.]\n"


def add_external(path: Path, raw: str, offset: int = 0) -> None:
    with h5py.File(path, "w") as f:
        f["used"] = VALUES
        f.create_dataset("outside", VALUES.shape, "f8", external=[(raw, offset, VALUES.nbytes)])


def test_external_data_that_is_only_to_be_kept(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.write_bytes(VALUES.tobytes())
    add_external(tmp_path / "in.h5", "raw")
    run(tmp_path, READ.format("used"))
    assert len(carve(tmp_path, "t")["files"]) == 1, "nobody has asked for it"
    assert len(carve(tmp_path, "t", "--keep", "/outside")["files"]) == 2
    assert alone(tmp_path, READ.format("outside"), tmp_path / "in.h5", raw) == "[5. 6.]\n"


def test_external_data_that_is_left_out(tmp_path: Path) -> None:
    """It is not said to be kept, and verified as what it is, wherever that is done."""
    (tmp_path / "raw").write_bytes(VALUES.tobytes())
    (tmp_path / "there").mkdir()
    add_external(tmp_path / "in.h5", "raw")
    run(tmp_path, READ.format("used"))
    carve(tmp_path, "t")
    [file] = json.loads(quarry("explain", "small", "--json", cwd=tmp_path).stdout)["files"]
    outside = next(one for one in file["datasets"] if one["paths"] == ["/outside"])
    assert (outside["what"], outside["kept"], outside["kept_bytes"]) == ("elsewhere", False, 0)
    assert outside["bytes"] == VALUES.nbytes
    total = quarry("explain", "small", cwd=tmp_path).stdout.splitlines()[-1]
    assert total == (
        "160 kB of 322 kB saved (50 %), 160 kB of them in other files, which hold data of datasets "
        "in these."
    )
    words = (tmp_path / "in.h5", copy_of(tmp_path / "in.h5"))
    for folder in (tmp_path, tmp_path / "there"):
        found = verify(*words, cwd=folder)
        assert found["same"] and found["elsewhere"] == 1, found
        assert found["bytes_left_out"] == VALUES.nbytes
        assert "1 dataset has in other files" in quarry("verify", *words, cwd=folder).stdout


@pytest.mark.parametrize("traces", (["t"], ["one", "two"], ["two", "one"]))
def test_external_data_inside_a_file_of_hdf5(tmp_path: Path, traces: list[str]) -> None:
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as f:
        f["s"], f["unread"] = VALUES, VALUES
        place = f["s"].id.get_offset()
    add_external(tmp_path / "in.h5", "other.h5", place)
    outside, inside = READ.format("outside"), "import h5py; print(h5py.File('other.h5')['s'][0])"
    run(tmp_path, f"{outside}\n{inside}")
    run(tmp_path, outside, trace="one")
    run(tmp_path, inside, trace="two")
    fates = carve(tmp_path, *traces, "--keep-below", "0")["files"]
    [whole] = [fate for fate in fates if fate["original"] == str(other)]
    assert "holds data of a dataset in another file" in whole["why_whole"]
    program = f"{outside}\n{inside}"
    assert alone(tmp_path, program, tmp_path / "in.h5", other) == "[5. 6.]\n5.0\n"


def test_virtual_data_of_variable_length_cannot_be_hollow(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "src.h5", "w") as f:
        f["s"] = np.array([b"one", b"two"] * 9000, h5py.string_dtype())
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["used"] = VALUES
        layout = h5py.VirtualLayout((18000,), h5py.string_dtype())
        layout[:] = h5py.VirtualSource("src.h5", "s", (18000,))
        f.create_virtual_dataset("words", layout)
    run(tmp_path, READ.format("used"))
    carve(tmp_path, "t", "--keep-below", "0", "--no-verify")
    away = (tmp_path / "in.h5", tmp_path / "src.h5")
    assert alone(tmp_path, READ.format("words"), *away) == "[b'one' b'two']\n"


def test_names_of_inputs_are_those_without_links(tmp_path: Path) -> None:
    """Programs name files from where they are, and by links; people look for them where they lie."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "home").symlink_to("disk")
    path = make_source(tmp_path / "disk/in.h5")
    code = "import h5py; print(h5py.File('../home/in.h5')['s'][:2])"
    run(tmp_path / "scripts", code, trace=tmp_path / "t")
    for words in ((), ("--file", path), ("--file", tmp_path / "home/in.h5")):
        [fate] = carve(tmp_path, "t", *words)["files"]
        assert fate["original"] == str(path)
    (tmp_path / "scripts").rename(tmp_path / "moved")
    path.unlink()
    done = quarry(
        *("run", "--no-trace", "--carved", tmp_path / "small", "--"),
        *(sys.executable, "-c", code),
        cwd=tmp_path / "moved",
    )
    assert done.stdout == "[5. 6.]\n", done.stderr
    assert sorted(os.listdir(tmp_path)) == ["disk", "home", "moved", "small", "t"]


def test_files_at_names_of_our_own_are_refused(tmp_path: Path, own_mounts: tuple[str, ...]) -> None:
    """A copy lies below the directory under the path of its original, as does the list of copies."""
    script = f"""
        mount -t tmpfs none /mnt && mkdir /mnt/originals && cp {make_source(tmp_path / "in.h5")} /mnt/originals
        mkdir -p /originals && mount --bind /mnt/originals /originals && cd {tmp_path} &&
        "$1" run --trace t -- {sys.executable} -c "import h5py; h5py.File('/originals/in.h5')['s'][0]"
        "$1" carve t -o small
    """
    existed = Path("/originals").exists()
    done = subprocess.run(
        [*own_mounts, "sh", "-c", script, "sh", QUARRY],
        capture_output=True,
        text=True,
        check=False,
    )
    if not existed:
        Path("/originals").rmdir()
    assert "Not carved: /originals/in.h5: where its copy would be" in done.stdout, done.stderr


def test_sources_that_tell_the_shape_are_there_when_copies_are_compared(tmp_path: Path) -> None:
    """HDF5 asks them when it is asked for it; with several processes they are made meanwhile."""
    for number in range(4):
        with h5py.File(tmp_path / f"s{number}.h5", "w") as f:
            f.create_dataset("s", data=np.zeros(2_000_000), maxshape=(None,), chunks=(1000,))
    names = [f"in{number}.h5" for number in range(4)]
    for number, name in enumerate(names):
        with h5py.File(tmp_path / name, "w", libver="latest") as f:
            layout = h5py.VirtualLayout((2_000_000,), "f8", maxshape=(None,))
            source = h5py.VirtualSource(f"s{number}.h5", "s", (2_000_000,), maxshape=(None,))
            layout[: h5py.h5s.UNLIMITED] = source[: h5py.h5s.UNLIMITED]
            f.create_virtual_dataset("v", layout)
    run(tmp_path, f"import h5py; [h5py.File(name)['v'][5] for name in {names}]")
    for _ in range(3):
        fates = carve(tmp_path, "t", "--jobs", "4")["files"]
        assert len(fates) == 8 and not any(fate["why_whole"] for fate in fates), fates
