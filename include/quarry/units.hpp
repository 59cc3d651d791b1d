// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace quarry {

std::string bytes_text(uint64_t bytes);               // "1.5 MB"
std::string time_text(uint64_t nanoseconds);          // "12 ms"
std::string share_text(uint64_t part, uint64_t all);  // "37 %"; "-" of nothing
std::string ratio_text(uint64_t part, uint64_t all);  // "1.3x"; "-" of nothing

}  // namespace quarry
