"""One process writes while another reads (SWMR)."""


def test_writer_and_reader(both):
    """The reader is a child process that is told when to look, so that the order of events is fixed."""
    outcome = both(
        """
import h5py, subprocess, sys, numpy as np
from attempt import attempt
READ = '''
import h5py, sys
f = h5py.File("swmr.h5", "r", swmr=True)
d = f["d"]
for line in sys.stdin:
    d.refresh()
    print(f.swmr_mode, d.shape, int(d[...].sum()), flush=True)
'''
f = h5py.File("swmr.h5", "w", libver="latest")
d = f.create_dataset("d", (0,), "i8", maxshape=(None,), chunks=(100,), compression="gzip")
plain = [sys.executable, "-c", "import h5py; h5py.File('swmr.h5', 'r')"]
print(subprocess.run(plain, stderr=subprocess.DEVNULL).returncode)
f.swmr_mode = True
print(f.swmr_mode, f.id.get_intent())
reader = subprocess.Popen([sys.executable, "-c", READ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for number in range(1, 6):
    d.resize((number * 70,))
    d[-70:] = np.arange(70) * number
    d.flush()
    print("look", file=reader.stdin, flush=True)
    print(reader.stdout.readline().strip())
attempt("attribute", lambda: d.attrs.__setitem__("new", 1))
attempt("group", lambda: f.create_group("new"))
reader.stdin.close()
print(reader.wait())
f.close()
with h5py.File("swmr.h5", "r") as f:
    print(f["d"].shape, f.libver)
attempt("again", lambda: h5py.File("swmr.h5", "r", swmr=True).swmr_mode)
""",
        files="any",
    )
    assert len({witness.pid for witness in outcome.witnesses}) >= 2
    assert "True (350,)" in outcome.stdout
