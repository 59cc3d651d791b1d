// Which object of which file an access goes to: asked once per object, then looked up.
#pragma once

#include "connector/object.hpp"
#include "connector/storage_record.hpp"

namespace quarry::connector {

// The object that `object` stands for (for a file its root group, for an attribute its owner),
// recorded when it is first met. Null where HDF5 or memory refuses. Enters HDF5's API: not while
// errors of a failed call must stay.
KnownObject* known_of(Object& object, H5I_type_t type) noexcept;

// What is recorded of an object before it is described.
trace::Object record_of(const KnownObject& known, uint64_t time) noexcept;

// HDF5's number of an open file.
unsigned long serial_of_file(const Object& file) noexcept;

// An object may get its path only after it was created.
void was_linked(Object& object, H5I_type_t type, Path path) noexcept;

// What HDF5 knows of the path of what lies at a location, under a name if there is one.
Path path_at(const Object& parent, const H5VL_loc_params_t& location,
             const char* name = nullptr) noexcept;

}  // namespace quarry::connector
