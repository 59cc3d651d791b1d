#pragma once

#include <hdf5.h>

#include <string>

namespace quarry::hdf5 {

// The path by which the file was opened that an object lies in; empty if HDF5 cannot tell.
std::string file_name_of(hid_t object);

}  // namespace quarry::hdf5
