// Chunks that HDF5 writes when it flushes a file, with no call of the dataset that they belong to,
// or moves in one call of several datasets: afterwards the datasets are asked where theirs are.
#pragma once

#include "connector/object.hpp"
#include "connector/storage_record.hpp"

namespace quarry::connector {

// A dataset was opened or created, and is known.
void list_dataset(Object& dataset) noexcept;
// An object that was listed ends.
void unlist_dataset(Object& dataset) noexcept;

// A file was flushed.
void claim_flushed_chunks(const StorageRecord& storage, hid_t transfer) noexcept;
// A dataset is about to be closed: whatever was put off is done now.
void claim_flushed_chunks(const Object& dataset, hid_t transfer) noexcept;

}  // namespace quarry::connector
