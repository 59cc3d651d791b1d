// What HDF5 says of a whole file.
#pragma once

#include <optional>

#include "connector/object.hpp"

namespace quarry::connector {

struct FileFacts {
    uint64_t free = 0;        // bytes that nothing uses any more
    uint32_t superblock = 0;  // its version
    uint32_t page_size = 0;   // 0 where space is not given out in pages
};

// Only of a file of which something has been used: being asked makes HDF5 load what it loads with
// the first use, and programs can see whether it has.
std::optional<FileFacts> facts_of_file(const Object& file) noexcept;

}  // namespace quarry::connector
