// Which elements of a dataset an access selected, and how a trace writes that down: in a few bytes
// for what programs usually ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <quarry/result.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/few.hpp"

namespace quarry {

// In one dimension: `count` blocks of `block` elements, `stride` apart.
struct Steps {
    uint64_t start = 0;
    uint64_t stride = 1;
    uint64_t count = 1;
    uint64_t block = 1;

    bool operator==(const Steps&) const = default;
};

using StepsByDimension = Few<Steps, 4>;

struct Selection {
    enum class Kind : uint8_t {
        All,  // the whole dataset, whatever its shape was
        None,
        Regular,  // `steps`, one per dimension
        Blocks,   // `corners`: first and last element of each block, dimension by dimension
        Points,   // `corners`: the elements, in the order in which they were asked for
    };

    Kind kind = Kind::All;
    uint8_t rank = 0;
    StepsByDimension steps;
    std::vector<uint64_t> corners;

    bool operator==(const Selection&) const = default;
};

// How many elements it holds; for All only the shape tells, so it is 0.
uint64_t elements_of(const Selection& selection);

using EncodedSelection = Few<std::byte, 32>;
EncodedSelection encode(const Selection& selection);
Result<Selection> decode_selection(std::span<const std::byte> bytes);

// As Python would write it where it can: "all", "[0:10, 5, 0:100:2]", "2 blocks", "17 points".
std::string to_string(const Selection& selection);

}  // namespace quarry
