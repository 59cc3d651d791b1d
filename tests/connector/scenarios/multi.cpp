// Several datasets in one call.
#include "scenario.hpp"

namespace scenario {
namespace {

struct Many {
    std::vector<Id> owned;
    std::vector<hid_t> sets, types, spaces;
    std::vector<std::vector<int>> values;
    std::vector<const void*> out;
    std::vector<void*> in;

    void add(Id set, size_t count, int salt) {
        sets.push_back(set);
        owned.push_back(std::move(set));
        types.push_back(H5T_NATIVE_INT);
        spaces.push_back(H5S_ALL);
        values.push_back(counted(count, salt));
    }
    void point_at_values() {
        for (auto& each : values) {
            out.push_back(each.data());
            in.push_back(each.data());
        }
    }
    void clear_values() {
        for (auto& each : values) std::fill(each.begin(), each.end(), -1);
    }
};

void round_trip(Many& many) {
    many.point_at_values();
    const size_t count = many.sets.size();
    DO(H5Dwrite_multi(count, many.sets.data(), many.types.data(), many.spaces.data(),
                      many.spaces.data(), H5P_DEFAULT, many.out.data()));
    many.clear_values();
    DO(H5Dread_multi(count, many.sets.data(), many.types.data(), many.spaces.data(),
                     many.spaces.data(), H5P_DEFAULT, many.in.data()));
    for (const auto& each : many.values) say(" ", each);
}

}  // namespace

// Around the sixteen that the connector keeps place for without asking for memory.
SCENARIO(multi_dataset_calls) {
    const Id file = create("a.h5");
    for (const int count : {1, 2, 15, 16, 17, 40}) {
        Many many;
        for (int i = 0; i < count; ++i) {
            const std::string name = "of " + text(count) + " " + text(i);
            const Id creation = i % 2 == 0 ? chunked({3}) : list(H5P_DATASET_CREATE);
            many.add(dataset(file, name.c_str(), H5T_STD_I16BE, {5}, creation), 5, i * 10);
        }
        say("datasets", count);
        round_trip(many);
    }
}

SCENARIO(multi_dataset_in_two_files) {
    const Id one = create("one.h5"), two = create("two.h5");
    Many many;
    for (int i = 0; i < 20; ++i) {
        const hid_t file = i % 3 == 0 ? one : two;
        many.add(dataset(file, ("x" + text(i)).c_str(), H5T_STD_I32LE, {4}), 4, i);
    }
    round_trip(many);
}

SCENARIO(multi_dataset_selections) {
    const Id file = create("a.h5");
    Many many;
    std::vector<Id> kept;
    std::vector<hid_t> memory;
    for (int i = 0; i < 3; ++i) {
        many.add(dataset(file, ("x" + text(i)).c_str(), H5T_STD_I32LE, {10}, chunked({4})), 3,
                 i * 100);
        const hsize_t start = static_cast<hsize_t>(i), stride = 2, count = 3;
        kept.emplace_back(H5Dget_space(many.sets.back()));
        H5Sselect_hyperslab(kept.back(), H5S_SELECT_SET, &start, &stride, &count, nullptr);
        many.spaces.back() = kept.back();
        kept.push_back(space({3}));
        memory.push_back(kept.back());
    }
    many.point_at_values();
    DO(H5Dwrite_multi(3, many.sets.data(), many.types.data(), memory.data(), many.spaces.data(),
                      H5P_DEFAULT, many.out.data()));
    for (const hid_t set : many.sets) read(set);
}

SCENARIO(multi_dataset_errors) {
    const Id file = create("a.h5");
    Many many;
    for (int i = 0; i < 3; ++i)
        many.add(dataset(file, ("x" + text(i)).c_str(), H5T_STD_I32LE, {4}), 4, i);
    many.types[1] = H5T_C_S1;
    round_trip(many);
    many.types[1] = H5T_NATIVE_INT;
    many.sets[2] = file;
    DO(H5Dread_multi(3, many.sets.data(), many.types.data(), many.spaces.data(), many.spaces.data(),
                     H5P_DEFAULT, many.in.data()));
    DO(H5Dread_multi(0, nullptr, nullptr, nullptr, nullptr, H5P_DEFAULT, nullptr));
    say("selection I/O");
    const Id transfer = list(
        H5P_DATASET_XFER, [](hid_t made) { H5Pset_selection_io(made, H5D_SELECTION_IO_MODE_ON); });
    DO(H5Dread_multi(2, many.sets.data(), many.types.data(), many.spaces.data(), many.spaces.data(),
                     transfer, many.in.data()));
    uint32_t why = 0, mode = 0;
    DO(H5Pget_no_selection_io_cause(transfer, &why));
    DO(H5Pget_actual_selection_io_mode(transfer, &mode));
    say("cause", why, "mode", mode);
}

// HDF5 says whether it used selections at the driver: it must not start to because of ours.
SCENARIO(selection_io_stays_as_it_is) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {100});
    for (const H5D_selection_io_mode_t wanted :
         {H5D_SELECTION_IO_MODE_DEFAULT, H5D_SELECTION_IO_MODE_OFF, H5D_SELECTION_IO_MODE_ON}) {
        const Id transfer =
            list(H5P_DATASET_XFER, [&](hid_t made) { H5Pset_selection_io(made, wanted); });
        const std::vector<int> values = counted(100);
        DO(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer, values.data()));
        std::vector<int> back(100);
        DO(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer, back.data()));
        uint32_t why = 0, mode = 0;
        DO(H5Pget_no_selection_io_cause(transfer, &why));
        DO(H5Pget_actual_selection_io_mode(transfer, &mode));
        say("wanted", wanted, "cause", why, "mode", mode);
    }
}

}  // namespace scenario
