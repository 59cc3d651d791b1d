#include "base/whole_path.hpp"

#include <filesystem>

namespace quarry {

namespace fs = std::filesystem;

Result<std::string> whole_path(const std::string& given) {
    if (given.empty()) return Error{"An empty path was given. Name a file or a directory."};
    std::error_code failed;
    fs::path path = fs::absolute(given, failed).lexically_normal();
    if (failed)
        return Error{given + " cannot be found: the working directory cannot be told: " +
                     failed.message() + ". Go to one that is there."};
    if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
    if (fs::is_symlink(path, failed) && fs::is_directory(path, failed))
        if (const fs::path target = fs::canonical(path, failed); !failed) path = target;
    return path.string();
}

}  // namespace quarry
