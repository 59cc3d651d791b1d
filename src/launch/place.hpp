// Where a path leads, also if what it names is not there.
#pragma once

#include <quarry/result.hpp>
#include <string>

namespace quarry {

struct Place {
    std::string path;  // without symbolic links
    bool is_there = false;
    std::string ancestor;  // of a missing one: the deepest directory on its way
};

// For the path of a file. What cannot be looked into holds nothing.
Result<Place> place_of(const std::string& path);

}  // namespace quarry
