// Files of HDF5 that exist only in memory.
#pragma once

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

// A name for them. HDF5 looks on the disk for a file of the same name, and takes or refuses that:
// there can be none at this one.
inline constexpr const char* kNoFile = "/dev/null/none";

// The access list to make them with.
Handle memory_access(size_t growth);

}  // namespace quarry::hdf5
