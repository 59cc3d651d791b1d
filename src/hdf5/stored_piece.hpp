// Where data of a dataset lies in its file, and as what.
#pragma once

#include <cstdint>
#include <vector>

namespace quarry::hdf5 {

struct StoredPiece {
    uint64_t address = 0;
    uint64_t size = 0;
    uint32_t mask = 0;             // a bit for each filter that was left out
    std::vector<uint64_t> offset;  // the first element of a chunk; empty if it is all there is
};

}  // namespace quarry::hdf5
