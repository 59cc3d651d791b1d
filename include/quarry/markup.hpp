// Text inside other languages.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

// As content or attribute of XML; what XML cannot hold becomes a space.
std::string in_xml(std::string_view text);

}  // namespace quarry
