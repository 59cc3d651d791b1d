// What a dataset is like in the trace: its type, shape and layout, recorded before its data is
// used, and at the latest when it is closed.
#pragma once

#include "connector/known_object.hpp"

namespace quarry::connector {

// The object that `dataset` stands for, once what it is like has been recorded.
KnownObject* described(Object& dataset) noexcept;
void describe_before_close(Object& dataset) noexcept;

// What programs ask a dataset for, as most do when they have opened one, need not be asked again.
void overhear(const Object& dataset, const H5VL_dataset_get_args_t& answer,
              hid_t transfer) noexcept;

// A dataset's shape has changed.
void describe_again(Object& dataset) noexcept;

// Contiguous data may get its place only when it is first written.
void look_for_address(Object& dataset) noexcept;

}  // namespace quarry::connector
