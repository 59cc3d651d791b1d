"""HDF5 asks the file for the same bytes in the same order: neither more calls nor other ones."""

import pytest

# h5py hands every call of its driver to a Python object, which can write them down.
RECORD = """
import h5py, io, numpy as np

class Recorded(io.BytesIO):
    def readinto(self, buffer):
        print("read", self.tell(), len(buffer))
        return super().readinto(buffer)
    def write(self, data):
        print("write", self.tell(), len(data))
        return super().write(data)
    def truncate(self, size=None):
        print("truncate", size)
        return super().truncate(size)
    def flush(self):
        print("flush")
        return super().flush()
"""

WORK = {
    "sieve buffer": (
        "f['x'] = np.arange(100000)",
        "for i in range(0, 100000, 9973): f['x'][i:i + 7]\nf['x'][::1000]",
    ),
    "rows and columns": (
        "f['x'] = np.arange(40000).reshape(200, 200)",
        "f['x'][:, 3], f['x'][5:9, 10:90:3], f['x'][[1, 5, 8]]",
    ),
    "chunks": (
        "f.create_dataset('x', data=np.arange(9000).reshape(90, 100), chunks=(10, 30), compression='gzip')",
        "f['x'][15:35, 20:70], f['x'][::20, ::30]",
    ),
    "unfiltered chunks": (
        "f.create_dataset('x', data=np.arange(9000).reshape(90, 100), chunks=(10, 30))",
        "f['x'][15:35, 20:70], f['x'][...]",
    ),
    "many small objects": (
        "for i in range(60): f[f'g{i % 7}/d{i}'] = i; f[f'g{i % 7}'].attrs[f'a{i}'] = 'text'",
        "f.visititems(lambda name, item: (item.attrs.keys(), item[()] if hasattr(item, 'shape') else None) and None)",
    ),
    "strings": (
        "f.create_dataset('x', data=['text' * i for i in range(50)], dtype=h5py.string_dtype())",
        "f['x'][...], f['x'][7]",
    ),
}


@pytest.mark.hazard(7)
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("libver", ("earliest", "latest"))
def test_same_calls(both, fixed_clock, work, libver):
    write, read = WORK[work]
    outcome = both(
        f"""{RECORD}
file = Recorded()
with h5py.File(file, "w", libver={libver!r}) as f:
    {write.replace(chr(10), chr(10) + "    ")}
    f.flush()
with h5py.File(file, "r") as f:
    {read.replace(chr(10), chr(10) + "    ")}
with h5py.File(file, "r+") as f:
    f.attrs["changed"] = "later"
""",
        env=fixed_clock,
    )
    assert outcome.stdout.count("read") > 3
    assert outcome.stdout.count("write") > 3
