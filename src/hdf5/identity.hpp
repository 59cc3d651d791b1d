// By what a file is known again, without going through its data.
#pragma once

#include "hdf5/file_identity.hpp"
#include "hdf5/header_file.hpp"

namespace quarry::hdf5 {

// Of a file, and its objects at these addresses.
FileIdentity identity_of(HeaderFile& file, const std::vector<uint64_t>& objects);

}  // namespace quarry::hdf5
