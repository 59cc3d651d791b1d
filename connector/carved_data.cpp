#include "connector/carved_data.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "connector/carved_dataset.hpp"
#include "connector/dataset_facts.hpp"
#include "hdf5/hollow.hpp"
#include "hdf5/select.hpp"

namespace quarry::connector {
namespace {

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

hdf5::Shape extent_of(const Object& dataset) {
    hdf5::Shape shape;
    hdf5::read_shape(dataset.under->library->api, DatasetFacts(dataset).space(), shape);
    return shape;
}

std::vector<hsize_t> shape_of(const Object& dataset) {
    const hdf5::Shape extent = extent_of(dataset);
    return {extent.now.begin(), extent.now.begin() + std::max(extent.rank, 0)};
}

bool has_no_limit(const Object& dataset) {
    const hdf5::Shape extent = extent_of(dataset);
    const auto end = extent.most.begin() + std::max(extent.rank, 0);
    return std::find(extent.most.begin(), end, H5S_UNLIMITED) != end;
}

bool is_usual_view(const hdf5::Api& api, hid_t access) {
    H5D_vds_view_t view = H5D_VDS_LAST_AVAILABLE;
    hsize_t gap = 0;
    if (api.H5Pget_virtual_view != nullptr) api.H5Pget_virtual_view(access, &view);
    if (api.H5Pget_virtual_printf_gap != nullptr) api.H5Pget_virtual_printf_gap(access, &gap);
    return view == H5D_VDS_LAST_AVAILABLE && gap == 0;
}

bool was_virtual(const hdf5::Api& api, const CarvedDataset& carved) {
    if (api.H5Pdecode == nullptr || api.H5Pget_layout == nullptr) return true;
    const hid_t list = api.H5Pdecode(carved.missing.creation.data());
    const bool is_virtual = list < 0 || api.H5Pget_layout(list) == H5D_VIRTUAL;
    if (list >= 0) api.H5Pclose(list);
    return is_virtual;
}

// Why values that the original has would be wrong ones; null if they are right.
const char* why_not_read(const Object& dataset, CarvedDataset& carved) {
    const hdf5::Api& api = dataset.under->library->api;
    DatasetFacts facts(dataset);
    if (api.H5Tdetect_class == nullptr || api.H5Tdetect_class(facts.type(), H5T_REFERENCE) != 0)
        return "cannot be read from its original: it refers to places there, at which there is "
               "something else here";
    if (!carved.is_sure)
        return "its old values are not read from its original: the program may have made it anew";
    if (was_virtual(api, carved))
        return "cannot be read from its original: it is made of other datasets, which HDF5 might "
               "look for elsewhere";
    void* original = original_of(dataset, carved);
    if (original != nullptr && shape_of({original, dataset.under}) != shape_of(dataset))
        return "cannot be read from its original any more: its shape has been changed";
    return nullptr;
}

// The original, if its values may be read. Says why, if not.
void* readable_original(const Object& dataset, CarvedDataset& carved) {
    if (const char* why = why_not_read(dataset, carved)) {
        carved.file->note_unusable(carved.missing.path, why);
        return nullptr;
    }
    void* original = original_of(dataset, carved);
    if (original == nullptr) carved.file->note_refused(carved.missing);
    return original;
}

// HDF5 tells what is wrong with the original, instead of that nothing is there in the copy.
void tell_of_original(const Object& dataset, const CarvedDataset& carved, KeepErrors& earlier) {
    const KeepErrors of_original(dataset.under->library->api);
    earlier.forget();
    carved.file->note_unreadable(carved.missing);
}

// HDF5 reads sources by itself, and does not say of which dataset they are.
void tell_of_sources(Object& dataset, hid_t transfer) {
    const hdf5::Api& api = dataset.under->library->api;
    CarvedFile* file = carved_file_around(dataset, H5I_DATASET, transfer);
    if (file == nullptr || api.H5Pget_layout == nullptr) return;
    DatasetFacts facts(dataset);
    if (facts.creation() < 0 || api.H5Pget_layout(facts.creation()) != H5D_VIRTUAL) return;
    file->note_sources(path_in_file(dataset, H5I_DATASET, transfer));
}

// Each by itself: they may lie in several files now.
herr_t read_each(const DatasetReads& reads, KeepErrors& errors) {
    for (size_t i = 0; i < reads.count; ++i) {
        Object& dataset = as_object(reads.datasets[i]);
        CarvedDataset* carved = carved_part_of(dataset, reads.transfer);
        if (carved == nullptr) {
            if (read_one(reads, i, dataset.below) < 0) return -1;
            continue;
        }
        void* original = readable_original(dataset, *carved);
        if (original == nullptr) return -1;
        if (read_one(reads, i, original) < 0) {
            tell_of_original(dataset, *carved, errors);
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
        for (size_t i = 0; !is_any && i < reads.count; ++i)
            tell_of_sources(as_object(reads.datasets[i]), reads.transfer);
        if (!is_any || read_each(reads, errors) < 0) return -1;
        errors.forget();
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

bool is_in_another_view(Object& dataset, hid_t access, hid_t transfer) noexcept {
    const hdf5::Api& api = dataset.under->library->api;
    if (is_usual_view(api, access)) return false;
    try {
        const CarvedDataset* carved = carved_part_of(dataset, transfer);
        if (carved == nullptr || !was_virtual(api, *carved) || !has_no_limit(dataset)) return false;
        carved->file->note_unusable(carved->missing.path,
                                    "its shape is not known in the view that the program wants");
    } catch (const std::bad_alloc&) {
        // Better not than wrongly.
    }
    return true;
}

namespace {

// Chunks may have been written one by one.
H5D_space_status_t space_status(const Object& dataset, const CarvedDataset& carved) {
    const MissingDataset& missing = carved.missing;
    // HDF5 says so of every virtual one, though nothing is stored in it.
    if (was_virtual(dataset.under->library->api, carved)) return H5D_SPACE_STATUS_ALLOCATED;
    if (missing.stored == 0) return H5D_SPACE_STATUS_NOT_ALLOCATED;
    if (missing.chunk.empty()) return H5D_SPACE_STATUS_ALLOCATED;
    const std::vector<hsize_t> shape = shape_of(dataset);
    hsize_t chunks = 1;
    for (size_t i = 0; i < std::min(shape.size(), missing.chunk.size()); ++i)
        chunks *= missing.chunk[i] > 0 ? (shape[i] + missing.chunk[i] - 1) / missing.chunk[i] : 0;
    return carved.file->missing().piece_list(carved.number).count < chunks
               ? H5D_SPACE_STATUS_PART_ALLOCATED
               : H5D_SPACE_STATUS_ALLOCATED;
}

// The parts of it that carving changes, by HDF5's own names, as a value of HDF5 that has nothing
// in memory elsewhere.
bool copy_property(const hdf5::Api& api, hid_t from, hid_t to, const char* name) {
    size_t size = 0;
    if (api.H5Pget_size(from, name, &size) < 0) return false;
    std::vector<std::byte> value(size);
    return api.H5Pget(from, name, value.data()) >= 0 && api.H5Pset(to, name, value.data()) >= 0;
}

// What is in memory elsewhere would be lost if it were copied with the rest.
bool copy_filling(const hdf5::Api& api, hid_t type, hid_t from, hid_t to) {
    H5D_fill_value_t defined{};
    if (api.H5Pfill_value_defined(from, &defined) < 0) return false;
    const bool has_value = defined == H5D_FILL_VALUE_USER_DEFINED;
    std::vector<std::byte> value(has_value ? api.H5Tget_size(type) : 0);
    if (has_value && (api.H5Pget_fill_value(from, type, value.data()) < 0 ||
                      api.H5Pset_fill_value(from, type, nullptr) < 0))
        return false;
    return copy_property(api, from, to, "fill_value") &&
           copy_property(api, from, to, "alloc_time_state") &&
           (!has_value || api.H5Pset_fill_value(to, type, value.data()) >= 0);
}

// The list of the copy, made that of the original: as HDF5 has written that down, it lacks names of
// filters and options of chunks. Both are changed. Only where there are chunks has it either.
bool restore_list(const Object& dataset, hid_t original, hid_t list) {
    const hdf5::Api& api = dataset.under->library->api;
    const bool can_be = api.H5Premove_filter != nullptr && api.H5Pget_fill_value != nullptr &&
                        api.H5Pset_fill_value != nullptr && api.missing_for_recording.empty();
    if (!can_be || api.H5Pget_layout(original) != H5D_CHUNKED) return false;
    DatasetFacts facts(dataset);
    // An emptied list of filters is not equal to one that never had any.
    const H5Z_filter_t guard = api.H5Pget_nfilters(list) == 1 ? H5Z_FILTER_ALL : hdf5::kGuardFilter;
    return (!is_guarded(dataset) || api.H5Premove_filter(list, guard) >= 0) &&
           copy_filling(api, facts.type(), original, list);
}

// HDF5 tells of a dataset with chunks how they are cached, of any other what is so by default.
void hide_cache(const hdf5::Api& api, const CarvedDataset& carved, hid_t list) {
    if (!carved.missing.chunk.empty() || api.H5Pset_chunk_cache == nullptr) return;
    api.H5Pset_chunk_cache(list, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, H5D_CHUNK_CACHE_NBYTES_DEFAULT,
                           H5D_CHUNK_CACHE_W0_DEFAULT);
}

void hide_in_list(const Object& dataset, const CarvedDataset& carved, hid_t& list) {
    const hdf5::Api& api = dataset.under->library->api;
    const QuietErrors quiet(api);
    const hid_t original = api.H5Pdecode(carved.missing.creation.data());
    if (original < 0) return;
    const hid_t changed = api.H5Pcopy(original);
    const hid_t restored = api.H5Pcopy(list);
    const bool is_restored = restore_list(dataset, changed, restored);
    api.H5Pclose(changed);
    api.H5Pclose(list);
    api.H5Pclose(is_restored ? original : restored);
    list = is_restored ? restored : original;
}

}  // namespace

void hide_carving(Object& dataset, H5VL_dataset_get_args_t& answered, hid_t transfer) noexcept {
    const hdf5::Api& api = dataset.under->library->api;
    try {
        const CarvedDataset* carved = carved_part_of(dataset, transfer);
        if (carved == nullptr) return;
        if (answered.op_type == H5VL_DATASET_GET_STORAGE_SIZE) {
            *answered.args.get_storage_size.storage_size = carved->missing.stored;
        } else if (answered.op_type == H5VL_DATASET_GET_SPACE_STATUS) {
            *answered.args.get_space_status.status = space_status(dataset, *carved);
        } else if (answered.op_type == H5VL_DATASET_GET_DAPL) {
            hide_cache(api, *carved, answered.args.get_dapl.dapl_id);
        } else if (answered.op_type == H5VL_DATASET_GET_DCPL && api.H5Pdecode != nullptr) {
            hide_in_list(dataset, *carved, answered.args.get_dcpl.dcpl_id);
        }
    } catch (const std::bad_alloc&) {
        // Then it is seen as it is.
    }
}

namespace {

herr_t ask(const Object& dataset, void* below, H5VL_optional_args_t& question, hid_t transfer) {
    return dataset.under->callbacks->dataset_cls.optional(below, &question, transfer, nullptr);
}

// A chunk that was carved away comes from the original, one that is there without our mark. Another
// copy of the same original may be in the place of the one that the table tells of, with other
// chunks.
herr_t read_chunk(const Object& dataset, CarvedDataset& carved, H5VL_optional_args_t& question,
                  hid_t transfer) {
    auto& wanted = static_cast<H5VL_native_dataset_optional_args_t*>(question.args)->chunk_read;
    const MissingPiece* piece = carved.chunks.at(wanted.offset);
    if (piece == nullptr) return ask(dataset, dataset.below, question, transfer);
    if (piece->is_kept) {
        const herr_t answer = ask(dataset, dataset.below, question, transfer);
        const bool is_there = answer < 0 || is_there_for_all(dataset, wanted.filters);
        wanted.filters = piece->mask;
        if (is_there) return answer;
    }
    void* original = readable_original(dataset, carved);
    if (original == nullptr) return -1;
    const herr_t answer = ask(dataset, original, question, transfer);
    if (answer < 0)
        carved.file->note_unreadable(carved.missing);
    else
        carved.file->note_fetched(carved.missing, selection_of_chunk(*piece));
    return answer;
}

}  // namespace

herr_t length_with_original(Object& dataset, H5VL_optional_args_t& question,
                            hid_t transfer) noexcept {
    const hdf5::Api& api = dataset.under->library->api;
    KeepErrors errors(api);
    try {
        CarvedDataset* carved = carved_part_of(dataset, transfer);
        void* original = carved != nullptr ? readable_original(dataset, *carved) : nullptr;
        if (original == nullptr) return -1;
        if (ask(dataset, original, question, transfer) < 0) {
            tell_of_original(dataset, *carved, errors);
            return -1;
        }
        const auto& wanted =
            static_cast<H5VL_native_dataset_optional_args_t*>(question.args)->get_vlen_buf_size;
        carved->file->note_fetched(carved->missing, hdf5::selection_of(api, wanted.space_id));
        errors.forget();
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

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

}  // namespace quarry::connector
