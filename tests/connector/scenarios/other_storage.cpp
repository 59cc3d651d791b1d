// Datasets whose data lie elsewhere: virtual ones and those in raw files.
#include <sys/stat.h>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

void make_source(const char* name, int salt) {
    const Id file = create(name);
    write(dataset(file, "part", H5T_STD_I32LE, {4}), counted(4, salt));
}

// Maps rows of a virtual dataset of 4 columns.
void map_row(hid_t creation, hid_t target, hsize_t row, const char* file, const char* name) {
    const hsize_t start[] = {row, 0}, count[] = {1, 4};
    H5Sselect_hyperslab(target, H5S_SELECT_SET, start, nullptr, count, nullptr);
    DO(H5Pset_virtual(creation, target, file, name, space({4})));
}

}  // namespace

SCENARIO(virtual_same_and_other_files) {
    make_source("b.h5", 10);
    make_source("c.h5", 20);
    const Id file = create("a.h5");
    write(dataset(file, "here", H5T_STD_I32LE, {4}), counted(4));
    const Id creation = list(H5P_DATASET_CREATE), whole = space({4, 4});
    const int fill = -1;
    H5Pset_fill_value(creation, H5T_NATIVE_INT, &fill);
    map_row(creation, whole, 0, ".", "here");
    map_row(creation, whole, 1, "b.h5", "part");
    map_row(creation, whole, 2, "c.h5", "part");
    map_row(creation, whole, 3, "missing.h5", "part");
    const Id set = dataset(file, "virtual", H5T_STD_I32LE, {4, 4}, creation);
    read(set);
    write(set, counted(16, 100));
    read(set);
    const Id back = ID(H5Dget_create_plist(set));
    size_t mappings = 0;
    DO(H5Pget_virtual_count(back, &mappings));
    for (size_t i = 0; i < mappings; ++i) {
        char words[32] = "";
        DO(H5Pget_virtual_filename(back, i, words, sizeof words));
        say("from", words);
        DO(H5Pget_virtual_dsetname(back, i, words, sizeof words));
        say("from", words);
        const Id part = ID(H5Pget_virtual_vspace(back, i));
    }
    DO(H5Dflush(set));
    DO(H5Drefresh(set));
    describe(file);
}

SCENARIO(virtual_numbered_sources) {
    make_source("n-0.h5", 0);
    make_source("n-1.h5", 10);
    const Id file = create("a.h5");
    const Id creation = list(H5P_DATASET_CREATE);
    const Id whole = space({4}, {H5S_UNLIMITED});
    const hsize_t start = 0, stride = 4, count = H5S_UNLIMITED, block = 4;
    H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, &stride, &count, &block);
    DO(H5Pset_virtual(creation, whole, "n-%b.h5", "part", space({4})));
    const Id set = dataset(file, "virtual", H5T_STD_I32LE, {4}, creation, {H5S_UNLIMITED});
    read(set);
    make_source("n-2.h5", 20);
    make_source("n-4.h5", 40);
    DO(H5Drefresh(set));
    read(set);
    const Id gap = list(H5P_DATASET_ACCESS, [](hid_t made) {
        H5Pset_virtual_printf_gap(made, 2);
        H5Pset_virtual_view(made, H5D_VDS_LAST_AVAILABLE);
    });
    const Id wide = ID(H5Dopen2(file, "virtual", gap));
    read(wide);
}

// The source is also open directly: HDF5 must see one file.
SCENARIO(virtual_source_open_for_writing) {
    make_source("b.h5", 10);
    const Id source = open("b.h5");
    const Id part = ID(H5Dopen2(source, "part", H5P_DEFAULT));
    const Id file = create("a.h5");
    const Id creation = list(H5P_DATASET_CREATE), whole = space({1, 4});
    map_row(creation, whole, 0, "b.h5", "part");
    const Id set = dataset(file, "virtual", H5T_STD_I32LE, {1, 4}, creation);
    write(part, counted(4, 70));
    read(set);
    write(set, counted(4, 90));
    read(part);
}

SCENARIO(virtual_prefix) {
    if (mkdir("elsewhere", 0777) != 0) say("cannot make a directory");
    make_source("elsewhere/b.h5", 30);
    const Id file = create("a.h5");
    const Id creation = list(H5P_DATASET_CREATE), whole = space({1, 4});
    map_row(creation, whole, 0, "b.h5", "part");
    {
        const Id set = dataset(file, "virtual", H5T_STD_I32LE, {1, 4}, creation);
    }
    const Id access =
        list(H5P_DATASET_ACCESS, [](hid_t made) { H5Pset_virtual_prefix(made, "elsewhere"); });
    const Id set = ID(H5Dopen2(file, "virtual", access));
    read(set);
}

SCENARIO(raw_files) {
    if (mkdir("elsewhere", 0777) != 0) say("cannot make a directory");
    const Id file = create("a.h5");
    const Id creation = list(H5P_DATASET_CREATE);
    DO(H5Pset_external(creation, "one.raw", 0, 16));
    DO(H5Pset_external(creation, "two.raw", 8, 24));
    const Id set = dataset(file, "x", H5T_STD_I32LE, {10});
    const Id outside = dataset(file, "outside", H5T_STD_I32LE, {10}, creation);
    write(outside, counted(10, 5));
    read(outside);
    char name[16] = "";
    off_t offset = 0;
    hsize_t size = 0;
    const Id back = ID(H5Dget_create_plist(outside));
    DO(H5Pget_external_count(back));
    DO(H5Pget_external(back, 1, sizeof name, name, &offset, &size));
    say(name, offset, size);
    const Id prefix =
        list(H5P_DATASET_ACCESS, [](hid_t made) { H5Pset_efile_prefix(made, "elsewhere"); });
    const Id moved = ID(H5Dopen2(file, "outside", prefix));
    read(moved);
    describe(file);
    const Id missing = list(H5P_DATASET_CREATE);
    DO(H5Pset_external(missing, "no/such/folder/x.raw", 0, 40));
    const Id refused = dataset(file, "missing", H5T_STD_I32LE, {10}, missing);
    read(refused);
    write(refused, counted(10));
}

}  // namespace scenario
