// Chunks that HDF5 wrote when it flushed a file, with no call of the dataset that they belong to.
#pragma once

#include "connector/object.hpp"

namespace quarry::connector {

// Looks, before a dataset is closed, which of them are its own. Asks HDF5 for all its chunks, so
// only where there is something to be found.
void claim_flushed_chunks(const Object& dataset, hid_t transfer) noexcept;

}  // namespace quarry::connector
