// The elements of a selection as runs in the order in which a dataset stores them.
#pragma once

#include <functional>
#include <span>

#include "model/selection.hpp"

namespace quarry {

// `give` gets the number of the first element of each run and how many there are; false ends it.
// Runs that touch in the last dimension come as one; of overlapping blocks and of points, which may
// repeat, each is given. What lies outside of the shape is left out.
void each_run(const Selection& selection, std::span<const uint64_t> shape,
              const std::function<bool(uint64_t first, uint64_t count)>& give);

}  // namespace quarry
