// Directories that are elsewhere by now.
#pragma once

#include <string>

namespace quarry {

// Where OLD ends in a map "OLD=NEW": where NEW begins with a slash, or else at the first sign,
// since names of directories may have one (year=2020).
size_t equals_in_map(const std::string& map);

// Where a path leads by such a map, both without a slash at the end; the same if it is not below
// the old one.
std::string mapped_path(const std::string& path, const std::string& map);

}  // namespace quarry
