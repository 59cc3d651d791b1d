"""Virtual datasets and links that lead to carved files: right, or refused."""

from pathlib import Path

import h5py
import numpy as np
import pytest
from carved_runs import natively, on_carved
from carving import carve, run

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
