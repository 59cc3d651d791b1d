"""Processes that fork, spawn and execute others, with files open."""

import pytest

# Newer Pythons warn of forks beside threads, with the number of the process, which never repeats.
PREPARE = """
import os, sys, warnings, h5py, numpy as np
warnings.simplefilter("ignore", DeprecationWarning)
def prepare():
    with h5py.File("data.h5", "w") as f:
        f["x"] = np.arange(1000.0)
        f.create_dataset("z", data=np.arange(1000), chunks=(100,), compression="gzip")
"""


@pytest.mark.hazard(12)
@pytest.mark.parametrize("method", ("fork", "spawn", "forkserver"))
def test_pools(both, method):
    outcome = both(
        PREPARE
        + f"""
import multiprocessing

def read(number):
    with h5py.File("data.h5", "r") as f:
        return f["x"][number] + f["z"][::number + 1].sum()

def write(number):
    with h5py.File(f"part{{number}}.h5", "w") as f:
        f["x"] = np.arange(number)
    return number

if __name__ == "__main__":
    prepare()
    context = multiprocessing.get_context({method!r})
    # Each worker begins with a read: one of them may do all the rest.
    with context.Pool(2, initializer=read, initargs=(1,)) as pool:
        print(pool.map(read, range(20)), pool.map(write, range(6)))
        pool.close(), pool.join()
    print(read(3))
""",
        files="any",
    )
    assert len({witness.pid for witness in outcome.witnesses}) >= 3


@pytest.mark.hazard(12)
def test_child_uses_a_file_opened_before_the_fork(both):
    outcome = both(
        PREPARE
        + """
prepare()
f = h5py.File("data.h5", "r")
print(f["x"][:3])
for number in range(3):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print("child", number, f["x"][5], f["z"][...].sum(), h5py.File("data.h5", "r")["z"][7])
        sys.stdout.flush()
        f.close()
        os._exit(number)
    print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(f["z"][9], len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")))
""",
        files="any",
    )
    # A child opens a file of its own and says so in a witness of its own.
    assert len({witness.pid for witness in outcome.witnesses}) == 4


@pytest.mark.hazard(12)
def test_fork_while_other_threads_are_inside_hdf5(both):
    """A lock that another thread holds at the fork stays held in the child for ever."""
    both(
        PREPARE
        + """
import threading
prepare()
stop = threading.Event()

def read_on():
    while not stop.is_set():
        with h5py.File("data.h5", "r") as f:
            f["z"][...]

threads = [threading.Thread(target=read_on) for _ in range(3)]
[thread.start() for thread in threads]
for number in range(20):
    # h5py takes its lock around a fork, so that no other thread holds it in the child.
    child = os.fork()
    if child == 0:
        with h5py.File("data.h5", "r") as f:
            os._exit(int(f["z"][number]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
[thread.join() for thread in threads]
""",
        files="any",
    )


@pytest.mark.slow
@pytest.mark.hazard(1, 12)
def test_fork_while_a_thread_is_inside_the_other_library(both):
    """Natively they share no lock: what netCDF4 does in the parent cannot stop h5py in the child."""
    both(
        PREPARE
        + r"""
import ctypes, netCDF4, re, threading
prepare()
stop = threading.Event()
# Called without netCDF in between, so that the thread is inside HDF5 nearly all the time.
path = re.search(r"\S*/netcdf4.libs/libhdf5-\S*", open("/proc/self/maps").read())[0]
hdf5 = ctypes.CDLL(path)
hdf5.H5Fopen.restype = hdf5.H5Fget_access_plist.restype = ctypes.c_int64
file = ctypes.c_int64(hdf5.H5Fopen(b"data.h5", 0, ctypes.c_int64(0)))

def ask():
    while not stop.is_set():
        hdf5.H5Pclose(ctypes.c_int64(hdf5.H5Fget_access_plist(file)))

thread = threading.Thread(target=ask)
thread.start()
for number in range(300):
    child = os.fork()
    if child == 0:
        with h5py.File("data.h5", "r") as f:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
thread.join()
""",
        files="any",
    )


def test_exec_chain(both):
    """Shell, Python and exec hand the selection on; each process is served anew."""
    outcome = both(
        PREPARE
        + """
import subprocess
prepare()
read = "import h5py; f = h5py.File('data.h5', 'r'); print(f['x'][4])"
subprocess.run(["sh", "-c", f'"{sys.executable}" -c "{read}"'], check=True)
print(subprocess.run([sys.executable, "-c", read], env={}, capture_output=True, text=True).stdout)
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, "-c", read + "; raise SystemExit(7)"])
""",
        files="any",
        status=7,
    )
    assert len({witness.pid for witness in outcome.witnesses}) == 2


def test_data_loader(both):
    """Workers that open lazily and keep their file, fed by queues: what PyTorch does."""
    both(
        PREPARE
        + """
import multiprocessing
opened = None

def item(number):
    global opened
    if opened is None:
        opened = h5py.File("data.h5", "r")
    return float(opened["x"][number])

if __name__ == "__main__":
    prepare()
    item(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(sum(pool.imap_unordered(item, range(200), chunksize=7)))
""",
        files="any",
    )
