// Which chunks of a dataset hold selected elements.
#pragma once

#include <functional>
#include <span>

#include "model/selection.hpp"

namespace quarry {

// Calls `give` with the first element of each, some of them more than once. False, and nothing is
// given, if all of them do or the selection does not fit the dataset.
bool each_touched_chunk(const Selection& selection, std::span<const uint64_t> shape,
                        std::span<const uint64_t> chunk,
                        const std::function<void(const std::vector<uint64_t>& offset)>& give);

}  // namespace quarry
