// Which directories `quarry carve` may put its own in the place of.
#pragma once

#include <string>

namespace quarry::carve_files {

// A directory that is there is replaced only if it is one of ours. Empty if it can be, or if
// nothing is there.
std::string why_not_replaced(const std::string& place);

}  // namespace quarry::carve_files
