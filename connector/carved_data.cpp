#include "connector/carved_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>

#include "connector/byte_layer.hpp"
#include "connector/library.hpp"
#include "hdf5/select.hpp"

namespace quarry::connector {

// Opened by programs' own functions, since HDF5 can open a file in no other way while it reads.
struct OriginalDataset {
    hid_t file;
    hid_t dataset;
    void* below;
};

namespace {

struct Missing {
    CarvedFile* file;
    MissingDataset dataset;
};

H5VL_loc_params_t itself() {
    H5VL_loc_params_t location{};
    location.obj_type = H5I_DATASET;
    location.type = H5VL_OBJECT_BY_SELF;
    return location;
}

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

// What is not in its file, though it was in the original.
std::optional<Missing> missing_in(const Object& dataset, hid_t transfer) {
    if (!dataset.under->is_native) return std::nullopt;
    CarvedFile* file = carved_file_named(name_of_file(dataset, H5I_DATASET, transfer));
    if (file == nullptr) return std::nullopt;
    H5O_info2_t info{};
    const H5VL_loc_params_t location = itself();
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_INFO;
    question.args.get_info.fields = H5O_INFO_BASIC;
    question.args.get_info.oinfo = &info;
    const auto get = dataset.under->callbacks->object_cls.get;
    if (get(dataset.below, &location, &question, transfer, nullptr) < 0) return std::nullopt;
    std::array<uint8_t, 16> place{};
    std::memcpy(place.data(), &info.token, place.size());
    const size_t number = file->missing().find(place);
    if (number == file->missing().count()) return std::nullopt;
    return Missing{file, file->missing().dataset(number)};
}

// As the carved file was opened, but with the driver that the program has chosen: what is read from
// there is nothing that the program does.
hid_t access_list_like(const Object& dataset, hid_t transfer) {
    void* file = nullptr;
    const H5VL_loc_params_t location = itself();
    H5VL_object_get_args_t which{};
    which.op_type = H5VL_OBJECT_GET_FILE;
    which.args.get_file.file = &file;
    const H5VL_class_t& callbacks = *dataset.under->callbacks;
    if (callbacks.object_cls.get(dataset.below, &location, &which, transfer, nullptr) < 0)
        return -1;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_FAPL;
    if (callbacks.file_cls.get(file, &question, transfer, nullptr) < 0) return -1;
    give_back_callers_driver(*dataset.under->library, question.args.get_fapl.fapl_id);
    return question.args.get_fapl.fapl_id;
}

OriginalDataset* opened_original(const Object& dataset, const Missing& missing, hid_t transfer) {
    const hdf5::Api& api = dataset.under->library->api;
    const hid_t access = access_list_like(dataset, transfer);
    if (access < 0) return nullptr;
    const QuietErrors quiet(api);
    api.H5Pset_vol(access, dataset.under->id, nullptr);
    const hid_t file = api.H5Fopen(missing.file->place_of_original().c_str(), kReadOnly, access);
    api.H5Pclose(access);
    if (file < 0) return nullptr;
    H5O_token_t token;
    std::memcpy(&token, missing.dataset.token.data(), sizeof token);
    const hid_t found = api.H5Oopen_by_token(file, token);
    void* below = found >= 0 ? api.H5VLobject(found) : nullptr;
    auto* made =
        below != nullptr ? new (std::nothrow) OriginalDataset{file, found, below} : nullptr;
    if (made == nullptr) {
        if (found >= 0) api.H5Oclose(found);
        api.H5Fclose(file);
    }
    return made;
}

// Stays open as long as the dataset in whose place it is read; null if it cannot be had.
OriginalDataset* original_of(Object& dataset, const Missing& missing, hid_t transfer) {
    if (dataset.original == nullptr && !missing.file->place_of_original().empty())
        dataset.original = opened_original(dataset, missing, transfer);
    return dataset.original;
}

std::string selected(const Object& dataset, hid_t file_space) {
    const std::vector<std::byte> bytes =
        encode(hdf5::selection_of(dataset.under->library->api, file_space));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

herr_t read_one(const DatasetReads& reads, size_t number, void* from) {
    const Object& dataset = as_object(reads.datasets[number]);
    hid_t memory_type = reads.memory_types[number];
    hid_t memory_space = reads.memory_spaces[number];
    hid_t file_space = reads.file_spaces[number];
    return dataset.under->callbacks->dataset_cls.read(1, &from, &memory_type, &memory_space,
                                                      &file_space, reads.transfer,
                                                      reads.buffers + number, nullptr);
}

// Each by itself: they may lie in several files now.
herr_t read_all(const DatasetReads& reads, const std::vector<std::optional<Missing>>& missing) {
    for (size_t i = 0; i < reads.count; ++i) {
        Object& dataset = as_object(reads.datasets[i]);
        if (!missing[i]) {
            if (read_one(reads, i, dataset.below) < 0) return -1;
            continue;
        }
        const OriginalDataset* original = original_of(dataset, *missing[i], reads.transfer);
        if (original == nullptr || read_one(reads, i, original->below) < 0) {
            missing[i]->file->note_refused(missing[i]->dataset);
            return -1;
        }
        missing[i]->file->note_fetched(missing[i]->dataset,
                                       selected(dataset, reads.file_spaces[i]));
    }
    return 0;
}

}  // namespace

herr_t read_with_originals(const DatasetReads& reads) noexcept {
    KeepErrors errors(as_object(reads.datasets[0]).under->library->api);
    try {
        std::vector<std::optional<Missing>> missing(reads.count);
        bool is_any = false;
        for (size_t i = 0; i < reads.count; ++i) {
            missing[i] = missing_in(as_object(reads.datasets[i]), reads.transfer);
            is_any = is_any || missing[i];
        }
        if (!is_any || read_all(reads, missing) < 0) return -1;
        errors.forget();
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

void give_back_callers_name(const Object& object, H5VL_file_get_args_t& answered,
                            hid_t transfer) noexcept {
    auto& answer = answered.args.get_name;
    try {
        const std::string name = name_before_serving(name_of_file(object, answer.type, transfer));
        if (name.empty()) return;
        *answer.file_name_len = name.size();
        if (answer.buf == nullptr || answer.buf_size == 0) return;
        const size_t fits = std::min(name.size(), answer.buf_size - 1);
        std::memcpy(answer.buf, name.data(), fits);
        answer.buf[fits] = '\0';
    } catch (const std::bad_alloc&) {
        // Then it is the name of the copy.
    }
}

void hide_carving(const Object& dataset, H5VL_dataset_get_args_t& answered,
                  hid_t transfer) noexcept {
    const hdf5::Api& api = dataset.under->library->api;
    try {
        const auto missing = missing_in(dataset, transfer);
        if (!missing) return;
        if (answered.op_type == H5VL_DATASET_GET_STORAGE_SIZE) {
            *answered.args.get_storage_size.storage_size = missing->dataset.stored;
        } else if (answered.op_type == H5VL_DATASET_GET_SPACE_STATUS) {
            if (missing->dataset.stored > 0)
                *answered.args.get_space_status.status = H5D_SPACE_STATUS_ALLOCATED;
        } else if (answered.op_type == H5VL_DATASET_GET_DCPL && api.H5Pdecode != nullptr) {
            const hid_t list = api.H5Pdecode(missing->dataset.creation.data());
            if (list < 0) return;
            api.H5Pclose(answered.args.get_dcpl.dcpl_id);
            answered.args.get_dcpl.dcpl_id = list;
        }
    } catch (const std::bad_alloc&) {
        // Then it is seen as it is.
    }
}

bool ask_original(Object& dataset, H5VL_optional_args_t* arguments, hid_t transfer,
                  herr_t& answer) noexcept {
    try {
        const auto missing = missing_in(dataset, transfer);
        if (!missing) return false;
        const OriginalDataset* original = original_of(dataset, *missing, transfer);
        if (original == nullptr) return false;
        answer = dataset.under->callbacks->dataset_cls.optional(original->below, arguments,
                                                                transfer, nullptr);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

herr_t hide_guard(const Object& dataset, const H5VL_optional_args_t& arguments,
                  hid_t transfer) noexcept {
    try {
        const auto missing = missing_in(dataset, transfer);
        if (!missing) return 0;
        const hdf5::Api& api = dataset.under->library->api;
        const hid_t list = api.H5Pdecode(missing->dataset.creation.data());
        const int filters = api.H5Pget_nfilters(list);
        api.H5Pclose(list);
        auto* native = static_cast<H5VL_native_dataset_optional_args_t*>(arguments.args);
        const uint32_t guard = uint32_t{1} << filters;
        if ((native->chunk_read.filters & guard) == 0) {
            missing->file->note_refused(missing->dataset);
            return -1;
        }
        native->chunk_read.filters &= ~guard;
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

void let_original_go(Object& dataset) noexcept {
    OriginalDataset* original = dataset.original;
    if (original == nullptr) return;
    dataset.original = nullptr;
    const hdf5::Api& api = dataset.under->library->api;
    const QuietErrors quiet(api);
    api.H5Oclose(original->dataset);
    api.H5Fclose(original->file);
    delete original;
}

}  // namespace quarry::connector
