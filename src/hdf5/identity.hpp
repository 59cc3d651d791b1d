// By what a file is known again, without going through its data.
#pragma once

#include <hdf5.h>

#include "hdf5/copy_file.hpp"

namespace quarry::hdf5 {

// Of a file that is open, and its objects at these addresses.
FileIdentity identity_of(const std::string& path, hid_t file, const std::vector<uint64_t>& objects);

}  // namespace quarry::hdf5
