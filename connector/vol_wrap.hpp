// How HDF5 puts our objects around those of the connector below, and takes them off.
#pragma once

#include "hdf5/api.hpp"

namespace quarry::connector {

H5VL_wrap_class_t wrap_callbacks() noexcept;

}  // namespace quarry::connector
