"""A process ends as it would without Quarry: status, output, files, and without waiting for anything."""

import shutil
import signal
import subprocess

import pytest

OPEN = """
import atexit, os, signal, sys, threading, time
import h5py, netCDF4, numpy as np
f = h5py.File("open.h5", "w")
f["x"] = np.arange(100)
d = netCDF4.Dataset("open.nc", "w")
d.createDimension("x", 10)
v = d.createVariable("v", "f8", ("x",))
v[:] = 1

def start(work, daemon=False):
    threading.Thread(target=work, daemon=daemon).start()
    time.sleep(0.1)

def kill(number):
    os.kill(os.getpid(), number)
    time.sleep(1)
"""

# No thread that is cut off inside h5py: it holds h5py's lock then, and hangs natively as well.
ENDINGS = {
    "end of program": "",
    "closed": "f.close(); d.close()",
    "only flushed": "f.flush(); d.sync()",
    "ids that nobody closes": "[h5py.h5i.inc_ref(h5py.h5f.open(b'open.h5', h5py.h5f.ACC_RDWR)) for _ in range(5)]",
    "exit 3": "sys.exit(3)",
    "exit text": "sys.exit('text')",
    "os._exit": "f.flush(); d.sync(); os._exit(4)",
    "exception": "f['missing']",
    "exception with files deleted": "del f, d, v; raise ValueError('text')",
    "atexit uses h5py": "atexit.register(lambda: (f.create_group('late'), print(sorted(f)), f.close()))",
    "atexit opens": "atexit.register(lambda: print(h5py.File('other.h5', 'w').create_dataset('y', data=[1])[...]))",
    "atexit raises": "atexit.register(lambda: f['missing'])",
    "module global": "import types; m = types.ModuleType('m'); sys.modules['m'] = m; m.kept = f['x']; m.file = f",
    "__del__ at shutdown": "class Last:\n    def __del__(self): print(f['x'][3])\nsys.modules['last'] = Last()",
    "cycle": "cycle = [f['x']]; cycle.append(cycle); del f",
    "daemon thread sleeps": "start(lambda: (f['x'][...], time.sleep(99)), daemon=True)",
    "thread goes on": "start(lambda: (time.sleep(0.2), print(f['x'][5])))",
    "exception in thread": "start(lambda: f['missing'])",
    "abort": "f.flush(); d.sync(); os.abort()",
    "close library": "f.close(); d.close(); h5py.h5.get_libversion()",
    "interrupt": "kill(signal.SIGINT)",
    "handled signal": "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5)); kill(signal.SIGTERM)",
}


@pytest.mark.hazard(8)
@pytest.mark.parametrize("ending", ENDINGS)
def test_ending(both, fixed_clock, ending):
    both(OPEN + ENDINGS[ending], env=fixed_clock, status=None, timeout=60)


@pytest.mark.hazard(8)
@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1, signal.SIGSEGV))
def test_killed(both, fixed_clock, number):
    both(
        f"{OPEN}\nf.flush(); d.sync(); kill({number})",
        env=fixed_clock,
        status=-number,
    )


@pytest.mark.hazard(8)
def test_plugin_is_pinned(plugin_dir):
    """HDF5 closes plugins when it ends, and may call into them after that."""
    if shutil.which("readelf") is None:
        pytest.skip("needs readelf")
    (plugin,) = plugin_dir.glob("*.so")
    flags = subprocess.run(
        ["readelf", "-d", plugin], check=True, capture_output=True, text=True
    ).stdout
    assert "NODELETE" in flags


@pytest.mark.hazard(8)
def test_nothing_is_left_running_or_open(both):
    """Counted rather than timed: threads, open files and children, before and after the work."""
    both(
        """
        import os
        def count():
            children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
            return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), children
        print(count())
        import h5py, netCDF4
        print(count())
        for number in range(20):
            with h5py.File("a.h5", "w") as f, netCDF4.Dataset("b.nc", "w") as d:
                f["x"] = [1, 2]
                d.createDimension("x", 3)
                if number == 10:
                    print(count())
        print(count())
        """,
        files="any",
    )


def test_signals_are_left_alone(both):
    """Signal handlers and masks belong to the program."""
    both(
        """
        import h5py, netCDF4
        h5py.File("a.h5", "w")["x"] = 1
        print([line for line in open("/proc/self/status") if line.startswith(("SigB", "SigI", "SigC"))])
        """,
        files="any",
    )
