// Copies of files that share their blocks with the original where the file system can do that.
#pragma once

#include <string>

namespace quarry {

// All bytes of a file, and when it was changed, into an open and empty one. On failure errno tells
// why.
bool copy_into(const std::string& source, int target);

// Whether a copy is what it was. Its bytes are looked at only if the time says that it may not be.
bool is_still_copy(const std::string& copy, const std::string& source);

}  // namespace quarry
