// Datasets: layouts, fill values, extents, conversion, selections.
#include <cstring>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {

SCENARIO(dataset_layouts) {
    const Id file = create("a.h5");
    const Id compact =
        list(H5P_DATASET_CREATE, [](hid_t list) { H5Pset_layout(list, H5D_COMPACT); });
    const Id early =
        list(H5P_DATASET_CREATE, [](hid_t list) { H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY); });
    write(dataset(file, "compact", H5T_STD_I32LE, {10}, compact), counted(10));
    write(dataset(file, "contiguous", H5T_STD_I32LE, {10}), counted(10));
    write(dataset(file, "chunked", H5T_STD_I32LE, {10}, chunked({3})), counted(10));
    dataset(file, "early", H5T_STD_I32LE, {10}, early);
    dataset(file, "nothing written", H5T_STD_I32LE, {10}, chunked({3}));
    const Id scalar(H5Screate(H5S_SCALAR)), null(H5Screate(H5S_NULL));
    const Id one = ID(
        H5Dcreate2(file, "scalar", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id none =
        ID(H5Dcreate2(file, "null", H5T_STD_I32LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(one, counted(1, 5));
    const Id nameless = ID(H5Dcreate_anon(file, H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Olink(nameless, file, "named later", H5P_DEFAULT, H5P_DEFAULT));
    // Compact data must fit into an object header.
    dataset(file, "too large", H5T_STD_I32LE, {100000}, compact);
    describe(file);
}

SCENARIO(dataset_chunk_indexes) {
    const Id list = access();
    H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const Id modern = create("modern.h5", list), old = create("old.h5");
    const Id implicit = chunked({4, 4});
    H5Pset_alloc_time(implicit, H5D_ALLOC_TIME_EARLY);
    const struct {
        const char* name;
        hid_t creation;
        Dims largest;
    } kinds[] = {
        {"single", chunked({12, 12}).release(), {}},
        {"implicit", implicit, {}},
        {"fixed array", chunked({4, 4}).release(), {}},
        {"extensible array", chunked({4, 4}).release(), {12, H5S_UNLIMITED}},
        {"btree 2", chunked({4, 4}).release(), {H5S_UNLIMITED, H5S_UNLIMITED}},
    };
    for (const hid_t file : {static_cast<hid_t>(modern), static_cast<hid_t>(old)}) {
        for (const auto& kind : kinds) {
            const Id set =
                dataset(file, kind.name, H5T_STD_I32LE, {12, 12}, kind.creation, kind.largest);
            write(set, counted(144));
            H5D_chunk_index_t index{};
            DO(H5Dget_chunk_index_type(set, &index));
            say("index", index);
            DO(H5Dget_storage_size(set));
        }
        describe(file);
    }
    for (const auto& kind : kinds) {
        if (kind.creation != static_cast<hid_t>(implicit)) H5Pclose(kind.creation);
    }
}

SCENARIO(dataset_fill_values) {
    const Id file = create("a.h5");
    const int fill = -7;
    for (const H5D_fill_time_t when : {H5D_FILL_TIME_ALLOC, H5D_FILL_TIME_IFSET}) {
        for (const H5D_alloc_time_t allocated :
             {H5D_ALLOC_TIME_EARLY, H5D_ALLOC_TIME_LATE, H5D_ALLOC_TIME_INCR}) {
            const Id creation = chunked({4});
            H5Pset_fill_value(creation, H5T_NATIVE_INT, &fill);
            H5Pset_fill_time(creation, when);
            H5Pset_alloc_time(creation, allocated);
            const std::string name = "fill" + text(when) + text(allocated);
            const Id set = dataset(file, name.c_str(), H5T_STD_I16BE, {10}, creation);
            const Id part(H5Dget_space(set));
            const hsize_t start = 5, count = 2;
            H5Sselect_hyperslab(part, H5S_SELECT_SET, &start, nullptr, &count, nullptr);
            const Id memory = space({2});
            write(set, counted(2, 1), memory, part);
            read(set);
        }
    }
    // No value to fill with and no storage: HDF5 refuses to read.
    const Id undefined = chunked({4});
    H5Pset_fill_value(undefined, H5T_NATIVE_INT, nullptr);
    const Id set = dataset(file, "undefined", H5T_STD_I32LE, {10}, undefined);
    read(set);
}

SCENARIO(dataset_extents) {
    const Id file = create("a.h5");
    const int fill = 9;
    const Id creation = chunked({3, 3});
    H5Pset_fill_value(creation, H5T_NATIVE_INT, &fill);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {4, 4}, creation, {H5S_UNLIMITED, 20});
    write(set, counted(16));
    for (const Dims& dims :
         {Dims{8, 8}, Dims{2, 3}, Dims{5, 5}, Dims{0, 5}, Dims{4, 4}, Dims{4, 21}}) {
        say("extent", dims);
        DO(H5Dset_extent(set, dims.data()));
        read(set);
    }
    const Id fixed = dataset(file, "fixed", H5T_STD_I32LE, {4});
    const hsize_t eight = 8;
    DO(H5Dset_extent(fixed, &eight));
}

SCENARIO(dataset_type_conversion) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I8BE, {6});
    write(set, std::vector<int>{-300, -128, 0, 127, 128, 1000});
    read<double>(set);
    const Id floats = dataset(file, "f", H5T_IEEE_F32BE, {4});
    write(floats, std::vector<double>{1e300, 0.1, -2.5, 3e9});
    read<int>(floats);
    read<unsigned char>(floats);
    const Id half = dataset(file, "string", H5T_C_S1, {4});
    read<int>(half);
    const Id transform =
        list(H5P_DATASET_XFER, [](hid_t list) { H5Pset_data_transform(list, "2*x+1"); });
    std::vector<int> values(6);
    DO(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transform, values.data()));
    say("transformed", values);
    const Id small =
        list(H5P_DATASET_XFER, [](hid_t list) { H5Pset_buffer(list, 8, nullptr, nullptr); });
    std::vector<double> more(6);
    DO(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, small, more.data()));
    say("in small steps", more);
}

SCENARIO(dataset_selections) {
    const Id file = create("a.h5");
    for (const bool in_chunks : {false, true}) {
        const Id creation = in_chunks ? chunked({3, 5}) : list(H5P_DATASET_CREATE);
        const Id set =
            dataset(file, in_chunks ? "chunked" : "contiguous", H5T_STD_I32LE, {10, 12}, creation);
        write(set, counted(120));
        const Id part(H5Dget_space(set));
        const hsize_t start[] = {1, 2}, stride[] = {3, 4}, count[] = {3, 2}, block[] = {2, 1};
        DO(H5Sselect_hyperslab(part, H5S_SELECT_SET, start, stride, count, block));
        const hsize_t corner[] = {0, 0}, four[] = {4, 4};
        Id memory = space({12});
        read(set, memory, part, 12);
        DO(H5Sselect_hyperslab(part, H5S_SELECT_OR, corner, nullptr, four, nullptr));
        const auto chosen = static_cast<hsize_t>(DO(H5Sget_select_npoints(part)));
        memory = space({chosen});
        read(set, memory, part, chosen);
        write(set, counted(chosen, 1000), memory, part);
        DO(H5Sselect_hyperslab(part, H5S_SELECT_XOR, corner, nullptr, count, nullptr));
        const hsize_t points[] = {9, 11, 0, 0, 5, 5, 5, 5};
        DO(H5Sselect_elements(part, H5S_SELECT_SET, 4, points));
        memory = space({4});
        read(set, memory, part, 4);
        DO(H5Sselect_none(part));
        DO(H5Sselect_none(memory));
        read(set, memory, part, 4);
        read(set);
        // Out of bounds, and of another size than memory.
        const hsize_t outside[] = {8, 8}, six[] = {6, 6};
        DO(H5Sselect_hyperslab(part, H5S_SELECT_SET, outside, nullptr, six, nullptr));
        memory = space({36});
        read(set, memory, part, 36);
        DO(H5Sselect_all(part));
        read(set, memory, part, 36);
    }
}

SCENARIO(dataset_iterate_gather_scatter_fill) {
    {
        const Id once = create("witness.h5");
    }
    std::vector<int> values = counted(12);
    const Id extent = space({3, 4});
    const hsize_t start[] = {1, 0}, count[] = {2, 2};
    H5Sselect_hyperslab(extent, H5S_SELECT_SET, start, nullptr, count, nullptr);
    int sum = 0;
    DO(H5Diterate(
        values.data(), H5T_NATIVE_INT, extent,
        [](void* element, hid_t, unsigned, const hsize_t* point, void* total) -> herr_t {
            *static_cast<int*>(total) += *static_cast<int*>(element) * static_cast<int>(point[0]);
            return 0;
        },
        &sum));
    say("sum", sum);
    std::vector<int> gathered(4);
    DO(H5Dgather(extent, values.data(), H5T_NATIVE_INT, 16, gathered.data(), nullptr, nullptr));
    say("gathered", gathered);
    std::vector<int> source = {7, 7, 7, 7};
    DO(H5Dscatter(
        [](const void** buffer, size_t* used, void* data) -> herr_t {
            *buffer = data;
            *used = 16;
            return 0;
        },
        source.data(), H5T_NATIVE_INT, extent, values.data()));
    const int fill = 3;
    DO(H5Dfill(&fill, H5T_NATIVE_INT, values.data(), H5T_NATIVE_INT, extent));
    say("filled", values);
}

SCENARIO(dataset_questions) {
    const Id file = create("a.h5");
    const Id access =
        list(H5P_DATASET_ACCESS, [](hid_t list) { H5Pset_chunk_cache(list, 101, 4096, 1.0); });
    const Id extent = space({10, 10});
    const Id creation = chunked({4, 4});
    const Id set = ID(H5Dcreate2(file, "x", H5T_STD_I32LE, extent, H5P_DEFAULT, creation, access));
    H5D_space_status_t status{};
    DO(H5Dget_space_status(set, &status));
    say("status", status);
    write(set, counted(100));
    DO(H5Dget_space_status(set, &status));
    say("status", status);
    DO(H5Dget_storage_size(set));
    DO(H5Dget_offset(set));
    const Id back = ID(H5Dget_access_plist(set));
    size_t slots = 0, bytes = 0;
    double preference = 0;
    DO(H5Pget_chunk_cache(back, &slots, &bytes, &preference));
    say(slots, bytes, preference);
    const Id stored = ID(H5Dget_create_plist(set));
    say("lists are equal", H5Pequal(stored, creation) > 0);
    DO(H5Dflush(set));
    DO(H5Drefresh(set));
    read(set);
    const Id plain = dataset(file, "plain", H5T_STD_I32LE, {5});
    write(plain, counted(5));
    DO(H5Dget_offset(plain));
    hsize_t bytes_needed = 0;
    DO(H5Dvlen_get_buf_size(plain, H5T_NATIVE_INT, extent, &bytes_needed));
    H5O_info2_t info{};
    DO(H5Oget_info3(plain, &info, H5O_INFO_ALL));
    say("type", info.type, info.rc, info.num_attrs, info.ctime);
}

}  // namespace scenario
