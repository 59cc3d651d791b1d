#include "analyze/real_names.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace quarry::analyze {
namespace {

namespace fs = std::filesystem;

// Links stay in it, but for those that are left by "..", which lead where they lead now.
fs::path without_steps_back(const fs::path& path) {
    fs::path made;
    std::error_code error;
    for (const fs::path& part : path) {
        if (part != "..") {
            made = part == "." ? made : made / part;
            continue;
        }
        const fs::path real = fs::canonical(made, error);
        made = (error ? made : real).parent_path();
    }
    return made;
}

bool is_at(const InputFile& file, const fs::path& path) {
    struct stat status{};
    return file.inode == 0 || (stat(path.c_str(), &status) == 0 && status.st_ino == file.inode &&
                               status.st_dev == file.device);
}

}  // namespace

void use_real_names(InputFile& file) {
    std::set<std::string> names{without_steps_back(file.path)};
    for (const std::string& name : file.also_by) names.insert(without_steps_back(name));
    std::error_code error;
    const fs::path real = fs::canonical(file.path, error);
    // A link that leads to another file by now is no name of that one.
    file.path = !error && is_at(file, real) ? real : without_steps_back(file.path);
    names.erase(file.path);
    file.also_by = std::move(names);
}

}  // namespace quarry::analyze
