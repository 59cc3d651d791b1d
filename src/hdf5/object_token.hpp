// The identity of an object in its file.
#pragma once

#include <array>
#include <cstdint>

namespace quarry::hdf5 {

using ObjectToken = std::array<uint8_t, 16>;

}  // namespace quarry::hdf5
