// Which object of which file an access goes to: asked once per object, then looked up.
#pragma once

#include "connector/object.hpp"
#include "connector/storage_record.hpp"

namespace quarry::connector {

// The object that `object` stands for (for a file its root group, for an attribute its owner),
// recorded when it is first met. Null where HDF5 or memory refuses. Enters HDF5's API: not while
// errors of a failed call must stay.
KnownObject* known_of(Object& object, H5I_type_t type) noexcept;

// HDF5's number of an open file.
unsigned long serial_of_file(const Object& file) noexcept;

// The same with what a dataset is like: its type, shape and layout are recorded before its data is
// used, and at the latest when it is closed.
KnownObject* described(Object& dataset) noexcept;
void describe_before_close(Object& dataset) noexcept;

// What programs ask a dataset for, as most do when they have opened one, need not be asked again.
void overhear(const Object& dataset, const H5VL_dataset_get_args_t& answer) noexcept;

// A dataset's shape has changed.
void describe_again(Object& dataset) noexcept;

// An object may get its path only after it was created.
void was_linked(Object& object, H5I_type_t type, Path path) noexcept;

// What HDF5 knows of the path of what lies at a location, under a name if there is one.
Path path_at(const Object& parent, const H5VL_loc_params_t& location,
             const char* name = nullptr) noexcept;

// Contiguous data may get its place only when it is first written.
void look_for_address(Object& dataset) noexcept;

}  // namespace quarry::connector
