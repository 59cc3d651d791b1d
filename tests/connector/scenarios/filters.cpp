// Filters: HDF5's own, the user's own, missing ones, and damaged chunks.
#include <cstring>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

constexpr H5Z_filter_t kOwnFilter = 400;

// Turns every bit around.
size_t turn_bits(unsigned, size_t, const unsigned*, size_t used, size_t*, void** buffer) {
    auto* bytes = static_cast<unsigned char*>(*buffer);
    for (size_t i = 0; i < used; ++i) bytes[i] = static_cast<unsigned char>(~bytes[i]);
    return used;
}

size_t always_fails(unsigned, size_t, const unsigned*, size_t, size_t*, void**) {
    return 0;
}

H5Z_class2_t own_filter(H5Z_func_t function) {
    return {H5Z_CLASS_T_VERS, kOwnFilter, 1, 1, "turned around", nullptr, nullptr, function};
}

}  // namespace

SCENARIO(filters_of_hdf5) {
    const Id file = create("a.h5");
    const struct {
        const char* name;
        H5Z_filter_t filter;
        std::vector<unsigned> values;
        hid_t type;
    } kinds[] = {
        {"deflate", H5Z_FILTER_DEFLATE, {6}, H5T_STD_I32LE},
        {"shuffle", H5Z_FILTER_SHUFFLE, {}, H5T_STD_I32LE},
        {"fletcher32", H5Z_FILTER_FLETCHER32, {}, H5T_STD_I32LE},
        {"nbit", H5Z_FILTER_NBIT, {}, H5T_STD_I32LE},
        {"scaleoffset", H5Z_FILTER_SCALEOFFSET, {H5Z_SO_INT, 0}, H5T_STD_I32LE},
        {"szip", H5Z_FILTER_SZIP, {H5_SZIP_NN_OPTION_MASK, 8}, H5T_STD_I32LE},
    };
    for (const auto& kind : kinds) {
        say(kind.name, "available", H5Zfilter_avail(kind.filter));
        if (H5Zfilter_avail(kind.filter) <= 0) continue;
        const Id creation = chunked({8, 8});
        if (kind.filter == H5Z_FILTER_NBIT) {
            DO(H5Pset_nbit(creation));
        } else if (kind.filter == H5Z_FILTER_SCALEOFFSET) {
            DO(H5Pset_scaleoffset(creation, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT));
        } else if (kind.filter == H5Z_FILTER_SZIP) {
            DO(H5Pset_szip(creation, H5_SZIP_NN_OPTION_MASK, 8));
        } else {
            DO(H5Pset_filter(creation, kind.filter, 0, kind.values.size(), kind.values.data()));
        }
        write(dataset(file, kind.name, kind.type, {20, 20}, creation), counted(400));
    }
    const Id all = chunked({8, 8});
    H5Pset_shuffle(all);
    H5Pset_deflate(all, 9);
    H5Pset_fletcher32(all);
    write(dataset(file, "all", H5T_IEEE_F64LE, {20, 20}, all), counted<double>(400, 0.5, 0.25));
    describe(file);
}

SCENARIO(filter_of_the_user) {
    const H5Z_class2_t own = own_filter(turn_bits);
    DO(H5Zregister(&own));
    {
        const Id file = create("a.h5");
        const Id creation = chunked({8});
        DO(H5Pset_filter(creation, kOwnFilter, 0, 0, nullptr));
        write(dataset(file, "x", H5T_STD_I32LE, {20}, creation), counted(20));
        // In use by an open file.
        DO(H5Zunregister(kOwnFilter));
    }
    DO(H5Zunregister(kOwnFilter));
    const Id file = open("a.h5");
    describe(file);
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    write(set, counted(20));
}

SCENARIO(filter_that_fails) {
    const H5Z_class2_t own = own_filter(always_fails);
    DO(H5Zregister(&own));
    for (const unsigned flags : {H5Z_FLAG_MANDATORY, H5Z_FLAG_OPTIONAL}) {
        const Id file = create(flags == H5Z_FLAG_OPTIONAL ? "optional.h5" : "mandatory.h5");
        const Id creation = chunked({8});
        DO(H5Pset_filter(creation, kOwnFilter, flags, 0, nullptr));
        const Id set = dataset(file, "x", H5T_STD_I32LE, {20}, creation);
        write(set, counted(20));
        DO(H5Dflush(set));
    }
}

SCENARIO(filter_missing) {
    const Id file = create("a.h5");
    const Id creation = chunked({8});
    DO(H5Pset_filter(creation, 31337, H5Z_FLAG_MANDATORY, 0, nullptr));
    const Id refused = dataset(file, "x", H5T_STD_I32LE, {20}, creation);
    const Id optional = chunked({8});
    DO(H5Pset_filter(optional, 31337, H5Z_FLAG_OPTIONAL, 0, nullptr));
    const Id set = dataset(file, "y", H5T_STD_I32LE, {20}, optional);
    write(set, counted(20));
    read(set);
}

SCENARIO(filter_callback_on_damage) {
    hsize_t stored = 0;
    haddr_t address = 0;
    {
        const Id file = create("a.h5");
        const Id creation = chunked({16});
        H5Pset_fletcher32(creation);
        const Id set = dataset(file, "x", H5T_STD_I32LE, {32}, creation);
        write(set, counted(32));
        DO(H5Dflush(set));
        hsize_t offset = 0;
        unsigned mask = 0;
        DO(H5Dget_chunk_info(set, H5S_ALL, 0, &offset, &mask, &address, &stored));
    }
    std::string bytes = get_file("a.h5");
    bytes[address + 5] ^= 0x10;
    put_file("a.h5", bytes);
    const Id file = open("a.h5", H5F_ACC_RDONLY);
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    read(set);
    for (const H5Z_EDC_t check : {H5Z_DISABLE_EDC, H5Z_ENABLE_EDC}) {
        const Id transfer = list(H5P_DATASET_XFER, [&](hid_t made) {
            H5Pset_edc_check(made, check);
            H5Pset_filter_callback(
                made,
                [](H5Z_filter_t filter, void*, size_t, void*) {
                    say("  callback for", filter);
                    return H5Z_CB_CONT;
                },
                nullptr);
        });
        std::vector<int> values(32);
        DO(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer, values.data()));
        say(values);
    }
}

}  // namespace scenario
