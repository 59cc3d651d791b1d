#include "connector/carved_dataset.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "connector/dataset_facts.hpp"
#include "hdf5/hollow.hpp"

namespace quarry::connector {

std::string name_of_file(const Object& object, H5I_type_t type, hid_t transfer) {
    std::string name(1024, '\0');
    size_t size = 0;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_NAME;
    question.args.get_name = {type, name.size(), name.data(), &size};
    const auto get = object.under->callbacks->file_cls.get;
    if (get(object.below, &question, transfer, nullptr) < 0) return "";
    if (size >= name.size()) {
        name.resize(size + 1);
        question.args.get_name.buf = name.data();
        question.args.get_name.buf_size = name.size();
        if (get(object.below, &question, transfer, nullptr) < 0) return "";
    }
    name.resize(size);
    return name;
}

namespace {

// That of the guard, if there is one.
std::optional<hdf5::GuardMark> mark_in(const hdf5::Api& api, hid_t creation) {
    if (api.H5Pget_filter2 == nullptr) return std::nullopt;
    hdf5::GuardMark mark{};
    unsigned flags = 0, configuration = 0;
    size_t count = mark.size();
    const int filters = api.H5Pget_nfilters(creation);
    const bool is_guarded =
        filters > 0 &&
        api.H5Pget_filter2(creation, static_cast<unsigned>(filters - 1), &flags, &count,
                           mark.data(), 0, nullptr, &configuration) == hdf5::kGuardFilter;
    return is_guarded ? std::optional(mark) : std::nullopt;
}

bool has_variable_length(const hdf5::Api& api, hid_t type) {
    const auto is_in_part = [&](hid_t part) {
        const bool is_there = has_variable_length(api, part);
        api.H5Tclose(part);
        return is_there;
    };
    switch (api.H5Tget_class(type)) {
        case H5T_VLEN:
            return true;
        case H5T_STRING:
            return api.H5Tis_variable_str(type) > 0;
        case H5T_ARRAY:
            return is_in_part(api.H5Tget_super(type));
        case H5T_COMPOUND: {
            const int members = api.H5Tget_nmembers(type);
            for (int i = 0; i < members; ++i)
                if (is_in_part(api.H5Tget_member_type(type, static_cast<unsigned>(i)))) return true;
            return false;
        }
        default:
            return false;
    }
}

// Programs have room for as many numbers as the dataset has dimensions, whatever a table says.
bool has_chunks(const CarvedDataset& dataset, int rank) {
    const MissingData::PieceList list = dataset.file->missing().piece_list(dataset.number);
    return rank > 0 && dataset.missing.chunk.size() == static_cast<size_t>(rank) &&
           (list.count == 0 || list.rank == dataset.missing.chunk.size());
}

// Of the object, or of another by its path from there.
bool get_info(const Object& object, H5I_type_t type, hid_t transfer, H5O_info2_t& info,
              const char* path = nullptr) {
    H5VL_loc_params_t location{};
    location.obj_type = type;
    location.type = path != nullptr ? H5VL_OBJECT_BY_NAME : H5VL_OBJECT_BY_SELF;
    if (path != nullptr) location.loc_data.loc_by_name.name = path;
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_INFO;
    question.args.get_info.fields = H5O_INFO_BASIC;
    question.args.get_info.oinfo = &info;
    const auto get = object.under->callbacks->object_cls.get;
    return get(object.below, &location, &question, transfer, nullptr) >= 0;
}

bool are_same(const H5O_info2_t& one, const H5O_info2_t& other) {
    return one.fileno == other.fileno &&
           std::memcmp(&one.token, &other.token, sizeof one.token) == 0;
}

// Whether an open dataset is what a path in its own file leads to. Where that is mounted on another
// file, paths begin in the other.
bool leads_to(const Object& dataset, const std::string& path, hid_t transfer) {
    const KeepErrors keep(dataset.under->library->api);
    H5O_info2_t itself{}, found{};
    return get_info(dataset, H5I_DATASET, transfer, itself) &&
           get_info(dataset, H5I_DATASET, transfer, found, path.c_str()) && are_same(found, itself);
}

std::string name_of_object(const Object& object, H5I_type_t type, hid_t transfer) {
    size_t size = 0;
    H5VL_loc_params_t location{};
    location.obj_type = type;
    location.type = H5VL_OBJECT_BY_SELF;
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_NAME;
    question.args.get_name = {0, nullptr, &size};
    const auto get = object.under->callbacks->object_cls.get;
    if (get(object.below, &location, &question, transfer, nullptr) < 0) return "";
    std::string name(size + 1, '\0');
    question.args.get_name = {name.size(), name.data(), &size};
    if (get(object.below, &location, &question, transfer, nullptr) < 0) return "";
    name.resize(std::min(size, name.size() - 1));
    return name;
}

// Of a file, by whomever it was opened. HDF5 opens those behind external links by itself.
std::optional<bool> is_writable(const Object& object, H5I_type_t type, hid_t transfer) {
    unsigned intent = kWritable;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_INTENT;
    question.args.get_intent.flags = &intent;
    const auto get = object.under->callbacks->file_cls.get;
    if (type != H5I_FILE || get(object.below, &question, transfer, nullptr) < 0)
        return std::nullopt;
    return (intent & kWritable) != 0;
}

MetFile file_of(const Object& object, H5I_type_t type, unsigned long serial, hid_t transfer) {
    const Library* library = object.under->library;
    const OpenFile open{library, library->life, serial};
    if (const auto met = met_file(open)) return *met;
    return meet_file(open, name_of_file(object, type, transfer),
                     is_writable(object, type, transfer));
}

MetFile file_around(const Object& object, H5I_type_t type, hid_t transfer) {
    H5O_info2_t info{};
    if (!object.under->is_native || !get_info(object, type, transfer, info)) return {};
    return file_of(object, type, info.fileno, transfer);
}

enum class Marked { No, Perhaps, Yes };

// What lies in the heap cannot have the guard. It is known to be what was left out as long as
// nothing at all was changed, if this is the copy that the table tells of: others have something
// else at its path, or at its place.
Marked how_marked_in_heap(const Object& dataset, const MetFile& met, const MissingDataset& missing,
                          hid_t transfer) {
    const hdf5::Api& api = dataset.under->library->api;
    DatasetFacts facts(dataset);
    H5D_fill_value_t fill{};
    const bool may_be = api.H5Pfill_value_defined(facts.creation(), &fill) >= 0 &&
                        fill == H5D_FILL_VALUE_UNDEFINED && has_variable_length(api, facts.type());
    if (!may_be) return Marked::No;
    if (!met.carved->is_as_carved(*met.place)) return Marked::Perhaps;
    if (leads_to(dataset, missing.path, transfer)) return Marked::Yes;
    met.carved->note_foreign(missing);
    return Marked::No;
}

// A program that may write can have put something else in its place, and another copy, of this file
// or of another, in that of this one.
Marked how_marked(const Object& dataset, const MetFile& met, const MissingDataset& missing,
                  hid_t transfer) {
    const hdf5::Api& api = dataset.under->library->api;
    DatasetFacts facts(dataset);
    if (facts.creation() < 0 || facts.type() < 0) return Marked::No;
    if (!api.missing_for_recording.empty()) return Marked::Yes;
    const auto mark = mark_in(api, facts.creation());
    if (!mark) return how_marked_in_heap(dataset, met, missing, transfer);
    if (*mark == hdf5::guard_mark(met.carved->mark(), missing.token)) return Marked::Yes;
    met.carved->note_foreign(missing);
    return Marked::No;
}

CarvedDataset* found_carved(const Object& dataset, hid_t transfer) {
    H5O_info2_t info{};
    if (!dataset.under->is_native || !get_info(dataset, H5I_DATASET, transfer, info))
        return nullptr;
    const MetFile met = file_of(dataset, H5I_DATASET, info.fileno, transfer);
    CarvedFile* file = met.carved;
    if (file == nullptr || dataset.was_made) return nullptr;
    std::array<uint8_t, 16> place{};
    std::memcpy(place.data(), &info.token, place.size());
    const size_t number = file->missing().find(place);
    if (number == file->missing().count()) return nullptr;
    DatasetFacts facts(dataset);
    auto made = std::make_unique<CarvedDataset>(file, number);
    const Marked marked = how_marked(dataset, met, made->missing, transfer);
    if (facts.space() < 0 || marked == Marked::No) return nullptr;
    made->is_sure = marked == Marked::Yes;
    const hdf5::Api& api = dataset.under->library->api;
    if (!has_chunks(*made, api.H5Sget_simple_extent_ndims(facts.space())))
        made->missing.chunk.clear();
    return made.release();
}

// A table may be wrong.
bool is_dataset(const hdf5::Api& api, hid_t id) {
    return id >= 0 && api.H5Iget_type != nullptr && api.H5Iget_type(id) == H5I_DATASET;
}

void open_original(const Object& dataset, CarvedDataset& carved) {
    const hdf5::Api& api = dataset.under->library->api;
    carved.shared = share_original(dataset, *carved.file);
    if (carved.shared.id < 0) return;
    const QuietErrors quiet(api);
    H5O_token_t token;
    std::memcpy(&token, carved.missing.token.data(), sizeof token);
    carved.original = api.H5Oopen_by_token(carved.shared.id, token);
    if (is_dataset(api, carved.original)) carved.original_below = api.H5VLobject(carved.original);
}

void leave(const Object& dataset, CarvedDataset& carved) {
    const hdf5::Api& api = dataset.under->library->api;
    const QuietErrors quiet(api);
    if (is_open(api, carved.original)) api.H5Oclose(carved.original);
    carved.original = -1;
    carved.original_below = nullptr;
    leave_original(dataset, *carved.file, carved.shared);
    carved.shared = {};
}

}  // namespace

bool is_guarded(const Object& dataset) {
    DatasetFacts facts(dataset);
    return facts.creation() >= 0 &&
           mark_in(dataset.under->library->api, facts.creation()).has_value();
}

bool is_there_for_all(const Object& dataset, uint32_t mask) {
    const hdf5::Api& api = dataset.under->library->api;
    DatasetFacts facts(dataset);
    const int filters = facts.creation() >= 0 ? api.H5Pget_nfilters(facts.creation()) : 0;
    return filters > 0 && (mask >> (filters - 1) & 1) != 0;
}

CarvedDataset* carved_part_of(Object& dataset, hid_t transfer) {
    if (!dataset.is_carving_known) {
        dataset.carved = found_carved(dataset, transfer);
        dataset.is_carving_known = true;
    }
    return dataset.carved;
}

CarvedFile* carved_file_around(const Object& object, H5I_type_t type, hid_t transfer) {
    return file_around(object, type, transfer).carved;
}

std::string path_in_file(const Object& object, H5I_type_t type, hid_t transfer) {
    const std::string path = name_of_object(object, type, transfer);
    H5O_info2_t itself{}, root{}, found{};
    // Where its file is mounted on another, the root is that of the other.
    const bool is_found = !path.empty() && get_info(object, type, transfer, itself) &&
                          get_info(object, type, transfer, root, "/") &&
                          get_info(object, type, transfer, found, path.c_str()) &&
                          root.fileno == itself.fileno && are_same(found, itself);
    return is_found ? path : "";
}

bool lies_in_file_as_carved(const Object& object, H5I_type_t type, hid_t transfer) {
    const MetFile met = file_around(object, type, transfer);
    return met.carved != nullptr && !met.is_writable && met.carved->is_as_carved(*met.place);
}

void meet_carved(Object& object, H5I_type_t type, hid_t transfer) noexcept {
    try {
        if (type == H5I_DATASET)
            carved_part_of(object, transfer);
        else
            carved_file_around(object, type, transfer);
    } catch (const std::bad_alloc&) {
        // Then that is tried again when data in it is needed.
    }
}

void* original_of(const Object& dataset, CarvedDataset& carved) {
    const hdf5::Api& api = dataset.under->library->api;
    if (carved.original >= 0 && !is_open(api, carved.original)) leave(dataset, carved);
    if (carved.file->place_of_original().empty()) return nullptr;
    if (carved.shared.proof != carved.file->proof()) leave(dataset, carved);
    if (carved.shared.id < 0) open_original(dataset, carved);
    return carved.original_below;
}

void let_original_go(Object& dataset) noexcept {
    if (dataset.carved == nullptr) return;
    leave(dataset, *dataset.carved);
    delete dataset.carved;
    dataset.carved = nullptr;
}

}  // namespace quarry::connector
