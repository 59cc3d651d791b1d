// Directories that are elsewhere by now.
#pragma once

#include <string>

namespace quarry {

// Where a path leads by a map "OLD=NEW", both without a slash at the end; the same if it is not
// below the old one.
std::string mapped_path(const std::string& path, const std::string& map);

}  // namespace quarry
