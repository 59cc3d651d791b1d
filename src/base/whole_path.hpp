// From a path that a user has given to the one that is worked with.
#pragma once

#include <quarry/result.hpp>
#include <string>

namespace quarry {

// From the root on, and without a slash at its end. What leads to a directory is followed: it is
// not to be replaced instead of that.
Result<std::string> whole_path(const std::string& given);

}  // namespace quarry
