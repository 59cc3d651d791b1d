// Our driver classes: one for each driver that is met, made at run time from the one it stands
// around.
#pragma once

#include "connector/driver_info.hpp"

namespace quarry::connector {

// The driver that stands around `inner`, registered on first sight; null where that is not
// possible.
const WrappedDriver* driver_around(Library& library, hid_t inner) noexcept;

// The entry of which `outer` is our driver; null for a driver that is not ours.
const WrappedDriver* wrapped_driver_of(const Library& library, hid_t outer) noexcept;

}  // namespace quarry::connector
