// The connector as HDF5 sees it: one class of callbacks per library served.
#pragma once

#include "hdf5/api.hpp"

namespace quarry::connector {

constexpr const char* kConnectorName = "quarry";

// Ours among connector values; another connector may name it to stand on us.
constexpr int kConnectorValue = 20818;

H5VL_class_t connector_class_for_slot(int slot);

}  // namespace quarry::connector
