// Copies that HDF5 makes of objects, in the trace: all data that is copied was read.
#pragma once

#include "connector/object.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {

// After H5Ocopy has copied what has this name, seen from an object.
void record_copy(const Operation& operation, const Object& from, H5I_type_t from_type,
                 const char* name, hid_t copying) noexcept;

}  // namespace quarry::connector
