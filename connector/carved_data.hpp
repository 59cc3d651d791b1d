// Datasets of carved files, as programs see them: with their data, wherever that is, and as they
// were before.
#pragma once

#include <optional>

#include "connector/carved_file.hpp"

namespace quarry::connector {

struct DatasetReads {
    size_t count;
    void** datasets;
    const hid_t* memory_types;
    const hid_t* memory_spaces;
    const hid_t* file_spaces;
    hid_t transfer;
    void** buffers;
};

// After a read has failed: once more, with what was carved away taken from the originals. Where
// that was not the reason, or is not possible, nothing changes, HDF5's errors included.
herr_t read_with_originals(const DatasetReads& reads) noexcept;

// Whether a virtual dataset is wanted in another view than the usual one, in which it may have
// another shape. Only the usual one was carved; tells the user.
bool is_in_another_view(Object& dataset, hid_t access, hid_t transfer) noexcept;

// What a dataset has answered is made what the original would have.
void hide_carving(Object& dataset, H5VL_dataset_get_args_t& answered, hid_t transfer) noexcept;

// Questions about chunks, and reading them as they are stored. Nothing if it is to be asked of the
// dataset itself.
std::optional<herr_t> answer_about_chunks(Object& dataset, H5VL_optional_args_t& question,
                                          hid_t transfer) noexcept;

// After the same question has failed: what reading values of variable length takes in memory.
herr_t length_with_original(Object& dataset, H5VL_optional_args_t& question,
                            hid_t transfer) noexcept;

}  // namespace quarry::connector
