// By what a file is known again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/checksum.hpp"

namespace quarry::hdf5 {

struct FileIdentity {
    std::vector<ByteRange> headers;  // the superblock and the headers of objects
    uint64_t checksum = 0;           // of what is in these
};

}  // namespace quarry::hdf5
