// Sizes along dimensions.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>

namespace quarry {

inline uint64_t elements_in(std::span<const uint64_t> shape) {
    return std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
}

}  // namespace quarry
