// Variable-length data, which HDF5 keeps in heaps ("blobs" to a connector).
#include <cstddef>
#include <cstdlib>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

Id string_type(H5T_cset_t characters = H5T_CSET_ASCII) {
    Id type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, characters);
    return type;
}

}  // namespace

SCENARIO(vlen_strings) {
    const Id file = create("a.h5");
    const Id type = string_type(H5T_CSET_UTF8);
    const std::string long_one(5000, 'x');
    const char* words[] = {"one", "", nullptr, "größer", long_one.c_str()};
    for (const bool in_chunks : {false, true}) {
        const Id creation = in_chunks ? chunked({2}) : list(H5P_DATASET_CREATE);
        const Id set = dataset(file, in_chunks ? "chunked" : "contiguous", type, {5}, creation);
        DO(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words));
        hsize_t size = 0;
        const Id extent(H5Dget_space(set));
        DO(H5Dvlen_get_buf_size(set, type, extent, &size));
        say("needs", size);
    }
    const Id extent = space({5});
    const Id stored = ID(H5Acreate2(file, "words", type, extent, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Awrite(stored, type, words));
    const Id scalar(H5Screate(H5S_SCALAR));
    const Id one = ID(H5Acreate2(file, "word", type, scalar, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Awrite(one, type, words));
    describe(file);
    // Written over, so that heap objects are given back.
    const Id set = ID(H5Dopen2(file, "contiguous", H5P_DEFAULT));
    const char* others[] = {"a", "b", "c", "d", "e"};
    DO(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, others));
    describe(file);
}

SCENARIO(vlen_sequences_and_nested) {
    const Id file = create("a.h5");
    const Id inner(H5Tvlen_create(H5T_NATIVE_SHORT));
    const Id outer(H5Tvlen_create(inner));
    short numbers[] = {1, 2, 3, 4, 5, 6};
    hvl_t rows[] = {{2, numbers}, {0, nullptr}, {4, numbers + 2}};
    hvl_t pages[] = {{3, rows}, {1, rows + 2}};
    const Id simple = dataset(file, "simple", inner, {3});
    DO(H5Dwrite(simple, inner, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    const Id nested = dataset(file, "nested", outer, {2}, chunked({1}));
    DO(H5Dwrite(nested, outer, H5S_ALL, H5S_ALL, H5P_DEFAULT, pages));
    // Read as another type, with memory of one's own.
    const Id wide(H5Tvlen_create(H5T_NATIVE_DOUBLE));
    int taken = 0;
    const Id transfer = list(H5P_DATASET_XFER, [&](hid_t made) {
        H5Pset_vlen_mem_manager(
            made,
            [](size_t size, void* count) {
                ++*static_cast<int*>(count);
                return std::malloc(size);
            },
            &taken,
            [](void* memory, void* count) {
                --*static_cast<int*>(count);
                std::free(memory);
            },
            &taken);
    });
    hvl_t back[3] = {};
    DO(H5Dread(simple, wide, H5S_ALL, H5S_ALL, transfer, back));
    say(values_text(wide, back, 3), "taken", taken);
    const Id extent(H5Dget_space(simple));
    DO(H5Dvlen_reclaim(wide, extent, transfer, back));
    say("left", taken);
    describe(file);
}

SCENARIO(vlen_in_compounds_with_fill) {
    struct Entry {
        int number;
        char* name;
        hvl_t values;
    };
    const Id file = create("a.h5");
    const Id name = string_type(), values(H5Tvlen_create(H5T_NATIVE_INT));
    const Id type(H5Tcreate(H5T_COMPOUND, sizeof(Entry)));
    H5Tinsert(type, "number", offsetof(Entry, number), H5T_NATIVE_INT);
    H5Tinsert(type, "name", offsetof(Entry, name), name);
    H5Tinsert(type, "values", offsetof(Entry, values), values);
    int some[] = {9, 8, 7};
    char first[] = "first", fill_name[] = "nothing yet";
    const Entry fill = {-1, fill_name, {1, some}};
    const Id creation = chunked({2});
    DO(H5Pset_fill_value(creation, type, &fill));
    const Id set = dataset(file, "entries", type, {4}, creation, {H5S_UNLIMITED});
    const Id part(H5Dget_space(set));
    const hsize_t start = 1, count = 1;
    H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    const Entry entry = {1, first, {3, some}};
    DO(H5Dwrite(set, type, space({1}), part, H5P_DEFAULT, &entry));
    const hsize_t six = 6;
    DO(H5Dset_extent(set, &six));
    const Id back = ID(H5Dget_create_plist(set));
    H5D_fill_value_t defined{};
    DO(H5Pfill_value_defined(back, &defined));
    Entry filled{};
    DO(H5Pget_fill_value(back, type, &filled));
    say(values_text(type, &filled, 1));
    DO(H5Treclaim(type, space({1}), H5P_DEFAULT, &filled));
    describe(file);
}

// Two files that are open at once: blobs go to the right one.
SCENARIO(vlen_in_two_files) {
    const Id one = create("one.h5"), two = create("two.h5");
    const Id type = string_type();
    const char* words[] = {"only in one"};
    const char* others[] = {"only in two"};
    const Id left = dataset(one, "x", type, {1}), right = dataset(two, "x", type, {1});
    DO(H5Dwrite(left, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words));
    DO(H5Dwrite(right, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, others));
    // The type of one dataset, used to read the other.
    const Id of_left(H5Dget_type(left));
    char* word = nullptr;
    DO(H5Dread(right, of_left, H5S_ALL, H5S_ALL, H5P_DEFAULT, &word));
    say(word);
    DO(H5Treclaim(type, space({1}), H5P_DEFAULT, &word));
    describe(two);
}

}  // namespace scenario
