// Where the superblock and the headers of objects lie in a file: what tells one file from another,
// or from what it has become, without going through its data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.hpp"

namespace quarry::hdf5 {

struct HeaderFormat {
    uint64_t base = 0;          // where HDF5's own part of the file begins
    unsigned address_size = 8;  // of what points into the file
    unsigned length_size = 8;   // of what says how long something is
    uint64_t superblock = 96;   // bytes
};

// Of an open file and the objects at these addresses, in their order. What cannot be made out ends
// the search for the rest of that header: the same bytes give the same ranges.
std::vector<ByteRange> header_ranges(int file, const HeaderFormat& format,
                                     std::span<const uint64_t> objects);

}  // namespace quarry::hdf5
