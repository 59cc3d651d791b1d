// A path inside of a directory, as somebody else has written it down.
#pragma once

#include <string>

namespace quarry {

// Whether what it names lies in that directory, and has no other such name.
bool stays_below(const std::string& path);

}  // namespace quarry
