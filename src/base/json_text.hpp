// Pieces of JSON, for code that lives inside other people's programs and brings no library for it.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

bool is_utf8(std::string_view text);

// In quotes. Bytes that are not UTF-8, which names in HDF5 files may hold, come out as U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace quarry
