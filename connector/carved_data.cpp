#include "connector/carved_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "connector/carved_chunks.hpp"
#include "connector/library.hpp"
#include "hdf5/select.hpp"

namespace quarry::connector {

// A dataset that is not whole in its file.
struct CarvedDataset {
    CarvedDataset(CarvedFile* in, MissingDataset part, bool refers)
        : file(in), missing(std::move(part)), has_references(refers) {}

    CarvedFile* file;
    MissingDataset missing;
    // To places in the original, at which there is something else in the carved file.
    bool has_references;
    CarvedChunks chunks{missing};
    // The original, once it has been needed. Opened by programs' own functions, since HDF5 can open
    // a file in no other way while it reads.
    hid_t original_file = -1;
    hid_t original = -1;
    void* original_below = nullptr;
};

namespace {

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

bool has_references(const Object& dataset, hid_t transfer) {
    H5VL_dataset_get_args_t question{};
    question.op_type = H5VL_DATASET_GET_TYPE;
    const auto get = dataset.under->callbacks->dataset_cls.get;
    const hdf5::Api& api = dataset.under->library->api;
    if (api.H5Tdetect_class == nullptr || get(dataset.below, &question, transfer, nullptr) < 0)
        return true;
    const hid_t type = question.args.get_type.type_id;
    const htri_t has = api.H5Tdetect_class(type, H5T_REFERENCE);
    api.H5Tclose(type);
    return has != 0;
}

int rank_of(const Object& dataset, hid_t transfer) {
    H5VL_dataset_get_args_t question{};
    question.op_type = H5VL_DATASET_GET_SPACE;
    const auto get = dataset.under->callbacks->dataset_cls.get;
    if (get(dataset.below, &question, transfer, nullptr) < 0) return -1;
    const hdf5::Api& api = dataset.under->library->api;
    const int rank = api.H5Sget_simple_extent_ndims(question.args.get_space.space_id);
    api.H5Sclose(question.args.get_space.space_id);
    return rank;
}

// Programs have room for as many numbers as the dataset has dimensions, whatever a table says.
bool has_chunks(const MissingDataset& dataset, int rank) {
    return rank > 0 && dataset.chunk.size() == static_cast<size_t>(rank) &&
           std::all_of(dataset.pieces.begin(), dataset.pieces.end(), [&](const auto& piece) {
               return piece.offset.size() == dataset.chunk.size();
           });
}

OpenFile open_file(const Object& object, unsigned long serial) {
    const Library* library = object.under->library;
    return {library, library->life, serial};
}

CarvedDataset* found_carved(const Object& dataset, hid_t transfer) {
    if (!dataset.under->is_native) return nullptr;
    H5O_info2_t info{};
    const H5VL_loc_params_t location = itself();
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_INFO;
    question.args.get_info.fields = H5O_INFO_BASIC;
    question.args.get_info.oinfo = &info;
    const auto get = dataset.under->callbacks->object_cls.get;
    if (get(dataset.below, &location, &question, transfer, nullptr) < 0) return nullptr;
    const OpenFile open = open_file(dataset, info.fileno);
    const auto met = carved_file_of(open);
    // Those behind external links are opened by HDF5 itself, just before.
    CarvedFile* file =
        met ? *met : remember_carved_file(open, name_of_file(dataset, H5I_DATASET, transfer));
    if (file == nullptr) return nullptr;
    std::array<uint8_t, 16> place{};
    std::memcpy(place.data(), &info.token, place.size());
    const size_t number = file->missing().find(place);
    if (number == file->missing().count()) return nullptr;
    MissingDataset missing = file->missing().dataset(number);
    if (!has_chunks(missing, rank_of(dataset, transfer))) missing.chunk.clear();
    return new CarvedDataset(file, std::move(missing), has_references(dataset, transfer));
}

// Null if it is whole. It lives as long as the dataset is open. May throw std::bad_alloc.
CarvedDataset* carved_part_of(Object& dataset, hid_t transfer) {
    if (!dataset.is_carving_known) {
        dataset.carved = found_carved(dataset, transfer);
        dataset.is_carving_known = true;
    }
    return dataset.carved;
}

// Not that of the carved file: HDF5 takes a file that it has handed out for such a question to have
// an id, and never closes one that it has opened itself, for an external link.
hid_t default_access_list(const hdf5::Api& api) {
    // As HDF5 encodes it: the version, the kind of list, and no property that is not by default.
    // The kinds by their names are variables of the library, of which a program may hold a copy.
    constexpr uint8_t kEncoded[] = {0, 4, 0};
    return api.H5Pdecode(kEncoded);
}

void open_original(const Object& dataset, CarvedDataset& carved) {
    const hdf5::Api& api = dataset.under->library->api;
    const QuietErrors quiet(api);
    const hid_t access = default_access_list(api);
    // What is read from there is nothing that the program does.
    api.H5Pset_vol(access, dataset.under->id, nullptr);
    carved.original_file = api.H5Fopen(carved.file->place_of_original().c_str(), kReadOnly, access);
    api.H5Pclose(access);
    if (carved.original_file < 0) return;
    H5O_token_t token;
    std::memcpy(&token, carved.missing.token.data(), sizeof token);
    carved.original = api.H5Oopen_by_token(carved.original_file, token);
    if (carved.original >= 0) carved.original_below = api.H5VLobject(carved.original);
}

// Null if it cannot be had.
void* original_of(const Object& dataset, CarvedDataset& carved) {
    if (carved.original_file < 0 && !carved.file->place_of_original().empty())
        open_original(dataset, carved);
    return carved.original_below;
}

// By its first element.
Selection selection_of_chunk(const MissingPiece& chunk) {
    Selection selection;
    selection.kind = Selection::Kind::Regular;
    selection.rank = static_cast<uint8_t>(chunk.offset.size());
    for (const uint64_t start : chunk.offset) selection.steps.push_back({.start = start});
    return selection;
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
herr_t read_each(const DatasetReads& reads) {
    for (size_t i = 0; i < reads.count; ++i) {
        Object& dataset = as_object(reads.datasets[i]);
        CarvedDataset* carved = carved_part_of(dataset, reads.transfer);
        if (carved == nullptr) {
            if (read_one(reads, i, dataset.below) < 0) return -1;
            continue;
        }
        if (carved->has_references) {
            carved->file->note_unusable(carved->missing);
            return -1;
        }
        void* original = original_of(dataset, *carved);
        if (original == nullptr || read_one(reads, i, original) < 0) {
            carved->file->note_refused(carved->missing);
            return -1;
        }
        carved->file->note_fetched(
            carved->missing, hdf5::selection_of(dataset.under->library->api, reads.file_spaces[i]));
    }
    return 0;
}

}  // namespace

herr_t read_with_originals(const DatasetReads& reads) noexcept {
    KeepErrors errors(as_object(reads.datasets[0]).under->library->api);
    try {
        bool is_any = false;
        for (size_t i = 0; i < reads.count; ++i)
            if (carved_part_of(as_object(reads.datasets[i]), reads.transfer) != nullptr)
                is_any = true;
        if (!is_any || read_each(reads) < 0) return -1;
        errors.forget();
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

void meet_carved_file(const Object& file, hid_t transfer) noexcept {
    if (!file.under->is_native) return;
    unsigned long serial = 0;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_FILENO;
    question.args.get_fileno.fileno = &serial;
    const auto get = file.under->callbacks->file_cls.get;
    if (get(file.below, &question, transfer, nullptr) < 0) return;
    try {
        remember_carved_file(open_file(file, serial), name_of_file(file, H5I_FILE, transfer));
    } catch (const std::bad_alloc&) {
        // Then that is tried again when data in it is needed.
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

void hide_carving(Object& dataset, H5VL_dataset_get_args_t& answered, hid_t transfer) noexcept {
    const hdf5::Api& api = dataset.under->library->api;
    try {
        const CarvedDataset* carved = carved_part_of(dataset, transfer);
        if (carved == nullptr) return;
        if (answered.op_type == H5VL_DATASET_GET_STORAGE_SIZE) {
            *answered.args.get_storage_size.storage_size = carved->missing.stored;
        } else if (answered.op_type == H5VL_DATASET_GET_SPACE_STATUS) {
            if (carved->missing.stored > 0)
                *answered.args.get_space_status.status = H5D_SPACE_STATUS_ALLOCATED;
        } else if (answered.op_type == H5VL_DATASET_GET_DCPL && api.H5Pdecode != nullptr) {
            const hid_t list = api.H5Pdecode(carved->missing.creation.data());
            if (list < 0) return;
            api.H5Pclose(answered.args.get_dcpl.dcpl_id);
            answered.args.get_dcpl.dcpl_id = list;
        }
    } catch (const std::bad_alloc&) {
        // Then it is seen as it is.
    }
}

namespace {

herr_t ask(const Object& dataset, void* below, H5VL_optional_args_t& question, hid_t transfer) {
    return dataset.under->callbacks->dataset_cls.optional(below, &question, transfer, nullptr);
}

// A chunk that was carved away comes from the original, one that is there without our mark.
herr_t read_chunk(const Object& dataset, CarvedDataset& carved, H5VL_optional_args_t& question,
                  hid_t transfer) {
    auto& wanted = static_cast<H5VL_native_dataset_optional_args_t*>(question.args)->chunk_read;
    const MissingPiece* piece = carved.chunks.at(wanted.offset);
    if (piece == nullptr) return ask(dataset, dataset.below, question, transfer);
    if (piece->is_kept) {
        const herr_t answer = ask(dataset, dataset.below, question, transfer);
        wanted.filters = piece->mask;
        return answer;
    }
    void* original = original_of(dataset, carved);
    const herr_t answer = original != nullptr ? ask(dataset, original, question, transfer) : -1;
    if (answer < 0)
        carved.file->note_refused(carved.missing);
    else
        carved.file->note_fetched(carved.missing, selection_of_chunk(*piece));
    return answer;
}

}  // namespace

std::optional<herr_t> answer_about_chunks(Object& dataset, H5VL_optional_args_t& question,
                                          hid_t transfer) noexcept {
    try {
        CarvedDataset* carved = carved_part_of(dataset, transfer);
        if (carved == nullptr) return std::nullopt;
        if (carved->missing.chunk.empty()) return -1;
        if (question.op_type == H5VL_NATIVE_DATASET_CHUNK_READ)
            return read_chunk(dataset, *carved, question, transfer);
        if (const auto answer = carved->chunks.tell(question)) return answer;
        void* original = original_of(dataset, *carved);
        if (original == nullptr) return std::nullopt;
        return ask(dataset, original, question, transfer);
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

void let_original_go(Object& dataset) noexcept {
    CarvedDataset* carved = dataset.carved;
    if (carved == nullptr) return;
    dataset.carved = nullptr;
    const hdf5::Api& api = dataset.under->library->api;
    const QuietErrors quiet(api);
    if (carved->original >= 0) api.H5Oclose(carved->original);
    if (carved->original_file >= 0) api.H5Fclose(carved->original_file);
    delete carved;
}

}  // namespace quarry::connector
