// Directories that are elsewhere by now.
#pragma once

#include <string>
#include <vector>

namespace quarry {

// Where OLD ends in a map "OLD=NEW": where NEW begins with a slash, or else at the first sign,
// since names of directories may have one (year=2020).
size_t equals_in_map(const std::string& map);

// Where a path leads by the map whose old directory is the longest that it lies below, all without
// a slash at the end; the same if there is none.
std::string mapped_path(const std::string& path, const std::vector<std::string>& maps);

}  // namespace quarry
