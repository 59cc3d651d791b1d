// Text inside other languages, and in small places.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

// As content or attribute of XML; what XML cannot hold becomes a space.
std::string in_xml(std::string_view text);

// As part of an address, whatever a path holds.
std::string percent_encoded(std::string_view path);

// The beginning and the end of a long text, cut between characters of UTF-8.
std::string shortened(std::string_view text, size_t most);

}  // namespace quarry
