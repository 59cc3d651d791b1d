// Asynchronous calls and event sets; below the native connector everything is done at once.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

void wait_for(hid_t events) {
    size_t left = 0, count = 0;
    hbool_t failed = false;
    DO(H5ESwait(events, H5ES_WAIT_FOREVER, &left, &failed));
    say("left", left, "failed", failed);
    DO(H5ESget_count(events, &count));
    DO(H5ESget_err_status(events, &failed));
    DO(H5ESget_err_count(events, &count));
    say("errors", count, failed);
}

}  // namespace

SCENARIO(async_calls) {
    const Id events = ID(H5EScreate());
    const Id list = access();
    Id file = ID(H5Fcreate_async("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list, events));
    Id group = ID(H5Gcreate_async(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, events));
    const Id extent = space({5});
    Id set = ID(H5Dcreate_async(group, "x", H5T_STD_I32LE, extent, H5P_DEFAULT, chunked({2}),
                                H5P_DEFAULT, events));
    const std::vector<int> values = counted(5);
    std::vector<int> back(5);
    DO(H5Dwrite_async(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data(), events));
    DO(H5Dread_async(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back.data(), events));
    Id note =
        ID(H5Acreate_async(set, "a", H5T_STD_I32LE, extent, H5P_DEFAULT, H5P_DEFAULT, events));
    DO(H5Awrite_async(note, H5T_NATIVE_INT, values.data(), events));
    DO(H5Aread_async(note, H5T_NATIVE_INT, back.data(), events));
    hbool_t exists = false;
    DO(H5Aexists_async(set, "a", &exists, events));
    DO(H5Arename_async(set, "a", "b", events));
    DO(H5Lcreate_soft_async("/g/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT, events));
    DO(H5Lcreate_hard_async(file, "g/x", file, "hard", H5P_DEFAULT, H5P_DEFAULT, events));
    DO(H5Lexists_async(file, "hard", &exists, H5P_DEFAULT, events));
    DO(H5Ldelete_async(file, "hard", H5P_DEFAULT, events));
    DO(H5Ocopy_async(file, "g", file, "copy", H5P_DEFAULT, H5P_DEFAULT, events));
    H5G_info_t info{};
    DO(H5Gget_info_async(group, &info, events));
    Id type = ID(H5Tcopy(H5T_NATIVE_INT));
    DO(H5Tcommit_async(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, events));
    Id opened = ID(H5Topen_async(file, "type", H5P_DEFAULT, events));
    Id object = ID(H5Oopen_async(file, "g", H5P_DEFAULT, events));
    DO(H5Fflush_async(file, H5F_SCOPE_LOCAL, events));
    wait_for(events);
    say("read", back, exists, info.nlinks);
    DO(H5Oclose_async(object.release(), events));
    DO(H5Tclose_async(opened.release(), events));
    DO(H5Aclose_async(note.release(), events));
    DO(H5Dclose_async(set.release(), events));
    DO(H5Gclose_async(group.release(), events));
    DO(H5Fclose_async(file.release(), events));
    wait_for(events);
    type.close();
    file = ID(H5Fopen_async("a.h5", H5F_ACC_RDONLY, list, events));
    wait_for(events);
    describe(file);
}

SCENARIO(async_errors) {
    const Id events = ID(H5EScreate());
    const Id list = access();
    const Id file = ID(H5Fcreate_async("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list, events));
    const Id missing = ID(H5Dopen_async(file, "missing", H5P_DEFAULT, events));
    const Id no_file = ID(H5Fopen_async("missing.h5", H5F_ACC_RDONLY, list, events));
    wait_for(events);
    H5ES_err_info_t info[4] = {};
    size_t cleared = 0;
    DO(H5ESget_err_info(events, 4, info, &cleared));
    say("cleared", cleared);
    DO(H5ESfree_err_info(cleared, info));
    size_t running = 0;
    H5ES_status_t status{};
    DO(H5EScancel(events, &running, nullptr));
    say("status", status);
    uint64_t counter = 0;
    DO(H5ESget_op_counter(events, &counter));
    say("counter", counter);
}

SCENARIO(async_reopen_and_multi) {
    const Id events = ID(H5EScreate());
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {3}, chunked({2}), {H5S_UNLIMITED});
    const Id other = dataset(file, "y", H5T_STD_I32LE, {3});
    Id again = ID(H5Freopen_async(file, events));
    hid_t sets[] = {set, other}, types[] = {H5T_NATIVE_INT, H5T_NATIVE_INT},
          all[] = {H5S_ALL, H5S_ALL};
    std::vector<int> left = counted(3), right = counted(3, 10);
    const void* out[] = {left.data(), right.data()};
    void* in[] = {right.data(), left.data()};
    DO(H5Dwrite_multi_async(2, sets, types, all, all, H5P_DEFAULT, out, events));
    DO(H5Dread_multi_async(2, sets, types, all, all, H5P_DEFAULT, in, events));
    const hsize_t five = 5;
    DO(H5Dset_extent_async(set, &five, events));
    const Id extent = ID(H5Dget_space_async(set, events));
    wait_for(events);
    say(left, right, H5Sget_simple_extent_npoints(extent));
}

}  // namespace scenario
