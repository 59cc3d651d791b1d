#include "base/inner_path.hpp"

#include <algorithm>
#include <filesystem>

namespace quarry {

bool stays_below(const std::string& path) {
    const std::filesystem::path parts = path;
    return !path.empty() && parts.is_relative() && parts.has_filename() &&
           path.find('\0') == std::string::npos && path == parts.lexically_normal().string() &&
           std::none_of(parts.begin(), parts.end(),
                        [](const auto& part) { return part == ".." || part == "."; });
}

}  // namespace quarry
