"""The low-level API: calls that look at the terminal connector, optional operations, tokens."""

import pytest


@pytest.mark.hazard(5)
def test_chunks(both, fixed_clock):
    both(
        """
import h5py, zlib, numpy as np
f = h5py.File("chunks.h5", "w")
d = f.create_dataset("d", (40, 40), "i4", chunks=(10, 10), maxshape=(None, 40), compression="gzip")
d[:20] = np.arange(800).reshape(20, 40)
d.id.write_direct_chunk((30, 0), zlib.compress(bytes(400)), filter_mask=0)
d.id.write_direct_chunk((30, 10), bytes(range(200)) * 2, filter_mask=1)
f.flush()
print(d.id.get_num_chunks(), d.id.get_storage_size(), d.id.get_space_status())
for number in range(d.id.get_num_chunks()):
    print(d.id.get_chunk_info(number))
print(d.id.get_chunk_info_by_coord((30, 10)))
found = []
d.id.chunk_iter(found.append)
print(found)
print(d.id.read_direct_chunk((30, 10))[0], zlib.decompress(d.id.read_direct_chunk((0, 0))[1])[:8])
buffer = bytearray(1000)
print(bytes(d.id.read_direct_chunk((30, 10), out=buffer)[1])[:5], list(d.iter_chunks())[:3])
d.resize((50, 40))
d[45] = 7
print(d[45].sum(), d[35, 10:20], d.id.get_num_chunks())
d.refresh()
d.flush()
""",
        env=fixed_clock,
    )


@pytest.mark.hazard(5)
def test_objects_and_tokens(both, fixed_clock):
    both(
        """
import h5py, numpy as np
f = h5py.File("objects.h5", "w")
f["a/b"] = np.arange(5)
f["a/type"] = np.dtype("f4,i8")
f["again"] = f["a/b"]
f["a"].attrs.create("attribute", "text")
for name in (b"a", b"a/b", b"a/type", b"again"):
    info = h5py.h5o.get_info(f.id, name)
    print(name, info.type, info.rc, info.addr, info.num_attrs, info.fileno > 0, info.hdr.nmesgs, info.hdr.space.total)
    old = h5py.h5g.get_objinfo(f.id, name)
    print(old.type, old.objno, old.nlink)
print(f["a/b"] == f["again"], hash(f["a/b"].id) == hash(f["again"].id), f["a"] == f["a/b"])
print(h5py.h5o.exists_by_name(f.id, b"a/b"), h5py.h5o.exists_by_name(f.id, b"/"))
h5py.h5o.visit(f.id, lambda name, info: print(name, info.type, info.rc), info=True)
h5py.h5o.set_comment(f.id, b"a comment", obj_name=b"a")
other = h5py.h5o.open(f.id, b"a/b")
print(h5py.h5i.get_type(other), h5py.h5i.get_name(other), h5py.h5i.get_file_id(other) == f.id, h5py.h5i.get_ref(other))
h5py.h5o.link(other, f["a"].id, b"linked")
h5py.h5o.copy(f.id, b"a", f.id, b"copied")
root = h5py.h5g.open(f.id, b"/")
print(root.get_num_objs(), root.get_objname_by_idx(0), root.get_objtype_by_idx(0))
print(f["a"].id.get_num_objs(), list(f["copied"]), f["a/type"].dtype, h5py.h5t.open(f.id, b"a/type").committed())
anonymous = f.create_dataset(None, data=[1, 2, 3])
print(anonymous.name, anonymous[...])
f["named"] = anonymous
info = h5py.h5a.get_info(f["a"].id, b"attribute")
print(info.data_size, info.cset, h5py.h5a.get_num_attrs(f["a"].id), h5py.h5a.exists(f["a"].id, b"attribute"))
h5py.h5a.iterate(f["a"].id, lambda name, info: print(name, info.data_size), info=True)
h5py.h5a.rename(f["a"].id, b"attribute", b"renamed")
print(list(f["a"].attrs))
print(h5py.h5f.get_obj_count(f.id), len(h5py.h5f.get_obj_ids(f.id)), h5py.h5f.get_name(f.id))
""",
        env=fixed_clock,
    )


@pytest.mark.hazard(4, 5)
def test_files(both, fixed_clock):
    both(
        """
import h5py, os, numpy as np
with h5py.File("files.h5", "w") as f:
    f["x"] = np.arange(100)
    f["s"] = np.array(["text", "more"], dtype=h5py.string_dtype())
f = h5py.File("files.h5", "r+")
print(f.id.get_freespace(), f.id.get_filesize(), f.id.get_intent(), f.id.get_mdc_hit_rate() >= 0, f.id.get_mdc_size()[0])
print(os.fstat(f.id.get_vfd_handle()).st_ino == os.stat("files.h5").st_ino, f.id.get_create_plist().get_version())
again = f.id.reopen()
print(again == f.id, h5py.File(again)["x"][5], again.get_intent())
again.close()
f.id.reset_mdc_hit_rate_stats()
config = f.id.get_mdc_config()
f.id.set_mdc_config(config)
print(config.max_size, config.min_clean_fraction)
print(h5py.h5f.is_hdf5(b"files.h5"), h5py.is_hdf5("missing"))
# Several at once; with vlen data, which goes through the connector's blobs.
print(f["s"][...], f["x"].id.get_offset(), f["x"].id.get_access_plist().get_chunk_cache())
f["s"][1] = "changed" * 100
print(len(f["s"][1]))
space = h5py.h5s.create_simple((5,))
out = np.zeros(5, "i8")
part = f["x"].id.get_space()
part.select_hyperslab((10,), (5,))
f["x"].id.read(space, part, out)
print(out)
f["x"].id.write(space, part, out * 2)
print(f["x"][10:15])
""",
        env=fixed_clock,
    )


def test_many_datasets_of_two_files(both, fixed_clock):
    both(
        """
import h5py, numpy as np
from h5py import MultiBlockSlice
one, two = h5py.File("one.h5", "w"), h5py.File("two.h5", "w")
many = [file.create_dataset(f"d{i}", data=np.arange(10) + i) for i in range(20) for file in (one, two)]
arrays = [np.zeros(10, "i8") for _ in many]
for d, a in zip(many, arrays):
    d.read_direct(a)
print(np.array(arrays).sum())
many[0].write_direct(np.arange(10) * 3)
print(many[0][...], many[0][MultiBlockSlice(start=1, count=2, stride=4, block=2)])
print(many[3].astype("f4")[...], many[0].len())
""",
        env=fixed_clock,
    )


def test_configuration(both):
    both(
        """
import h5py
config = h5py.get_config()
print(config.mpi, config.ros3, config.direct_vfd, config.complex_names, config.bool_names, config.track_order)
print([h5py.h5z.filter_avail(number) for number in (1, 2, 3, 4, 5, 6, 32000, 32001)], h5py.h5z.get_filter_info(1))
print(h5py.version.info, h5py.registered_drivers())
print(h5py.h5p.create(h5py.h5p.FILE_ACCESS).get_libver_bounds(), h5py.h5.get_libversion(), h5py.h5ac.CacheConfig)
print([getattr(h5py.h5fd, name) > 0 for name in ("SEC2", "STDIO", "CORE", "FAMILY", "MULTI", "LOG")])
"""
    )


def test_types(both, fixed_clock):
    """Committed types, and types that need the file they are in."""
    both(
        """
import h5py, numpy as np
f = h5py.File("types.h5", "w")
f["named"] = np.dtype([("a", "i4"), ("s", h5py.string_dtype()), ("v", h5py.vlen_dtype("f4")), ("r", h5py.ref_dtype)])
d = f.create_dataset("d", (3,), f["named"])
d[0] = (1, "text", np.arange(3, dtype="f4"), f.ref)
print(d[0]["s"], d[0]["v"], f[d[0]["r"]].name, d.dtype.metadata, d["a"])
f.attrs.create("typed", data=[(1, 2)], dtype=np.dtype("i4,i4"))
f["nested"] = np.zeros(2, dtype=[("x", [("y", "f4", (2,))])])
f.create_dataset("vlen", (2,), h5py.vlen_dtype("i8"))
f["vlen"][0] = [1, 2, 3]
print(f["vlen"][...], f["nested"][...], f.attrs["typed"], h5py.h5t.open(f.id, b"named").get_nmembers())
f["named"].attrs["note"] = "on a type"
f.close()
f = h5py.File("types.h5", "r")
print(f["d"][...]["s"], f["named"].attrs["note"], f["d"].id.get_type().committed(), f["d"].id.get_type() == f["named"].id)
""",
        env=fixed_clock,
    )
