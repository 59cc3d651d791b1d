// Names as files hold them of other files and of objects.
#pragma once

#include <filesystem>
#include <string>

namespace quarry::analyze {

inline std::string in_directory(const std::string& directory, const std::string& name) {
    return (std::filesystem::path(directory) / name).lexically_normal();
}

// Mappings may leave out the first slash.
inline std::string absolute_path(const std::string& path) {
    return path.starts_with('/') ? path : "/" + path;
}

}  // namespace quarry::analyze
