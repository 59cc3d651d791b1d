"""Imported by every Python process of a run (it lies on PYTHONPATH): reports which HDF5 it had.

The connector says in its witness files where it was. This says, without the connector's help, where
it should have been; proof.py compares the two.
"""

import atexit
import importlib.machinery
import json
import os
import sys

_directory = os.environ.get("QUARRY_SUITES_PROCESSES")
# The test that started this process. Inherited; pytest changes it later in its own process.
_started_by = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]
_forked = False


def _mapped_files():
    with open("/proc/self/maps") as maps:
        fields = (line.rstrip("\n").split(maxsplit=5) for line in maps)
        return sorted(
            {entry[5] for entry in fields if len(entry) == 6 and entry[5].startswith("/")}
        )


def _is_hdf5(path):
    # libhdf5.so.310, libhdf5_serial.so.310, libhdf5-9e18f0c6.so.320, but not libhdf5_hl or _fortran.
    name = os.path.basename(path)
    return name.startswith(("libhdf5.", "libhdf5-", "libhdf5_serial."))


def _report():
    mapped = _mapped_files()
    libraries = [path for path in mapped if _is_hdf5(path)]
    if not libraries:
        return
    record = {
        "pid": os.getpid(),
        "libraries": libraries,
        "connector": [
            path for path in mapped if os.path.basename(path) == "libquarry_connector.so"
        ],
        "started_by": _started_by,
        "forked": _forked,
    }
    # Renamed into place, since the process may be killed while it writes.
    path = os.path.join(_directory, f"{os.getpid()}.json")
    with open(path + ".part", "w") as file:
        json.dump(record, file)
    os.replace(path + ".part", path)


class _ReportAfterImport:
    """Reports at once when HDF5 has come into the process: one that is killed has no other end."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ("h5py", "netCDF4"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec:
            execute = spec.loader.exec_module

            def execute_and_report(module):
                execute(module)
                _report()

            spec.loader.exec_module = execute_and_report
        return spec


def _leave(status, _exit=os._exit):
    # Children of multiprocessing and of a bare fork end here and never see atexit.
    _report()
    _exit(status)


def _note_fork():
    global _forked, _started_by
    _forked = True
    _started_by = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]


if _directory:
    sys.meta_path.insert(0, _ReportAfterImport)
    atexit.register(_report)
    os._exit = _leave
    os.register_at_fork(after_in_child=_note_fork)
