// The few things about text that the standard library leaves out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quarry {

std::string_view trim(std::string_view text);

// The parts between separators; empty parts are left out.
std::vector<std::string> split(std::string_view text, std::string_view separators);

// The last part of a path, without touching the file system.
std::string base_name(std::string_view path);

// For a POSIX shell, whatever it holds.
std::string shell_quoted(std::string_view text);

// Two digits for each byte, and back; what is no such text ends where it stops being one.
std::string hex_of(std::string_view bytes);
std::string bytes_of_hex(std::string_view text);

// "a", "a and b", "a, b and c".
std::string enumerate(const std::vector<std::string>& items);

}  // namespace quarry
