// Where the raw data of a file lie.
#pragma once

#include <cstdint>
#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry::hdf5 {

// A chunk, or a dataset without chunks.
struct RawPiece {
    uint64_t address;
    uint64_t size;
};

// Of all datasets, in the order of their addresses.
Result<std::vector<RawPiece>> raw_pieces_in(const std::string& file);

}  // namespace quarry::hdf5
