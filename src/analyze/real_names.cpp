#include "analyze/real_names.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <vector>

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

// What such names lead to is another file for each process.
bool is_of_a_process(const std::string& name) {
    return name.starts_with("/proc/") || name.starts_with("/dev/fd/") || name == "/dev/stdin";
}

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

// Empty if none of its names leads to it. A link that leads to another file by now is no name of
// this one.
fs::path real_path(const InputFile& file) {
    std::vector<std::string> names{file.path};
    names.insert(names.end(), file.also_by.begin(), file.also_by.end());
    for (const std::string& name : names) {
        std::error_code error;
        const fs::path real = fs::canonical(name, error);
        if (!error && is_at(file, real)) return real;
        if (file.inode == 0) break;
    }
    return {};
}

}  // namespace

void use_real_names(InputFile& file) {
    std::set<std::string> names{without_steps_back(file.path)};
    for (const std::string& name : file.also_by) names.insert(without_steps_back(name));
    const fs::path real = real_path(file);
    file.path = real.empty() ? without_steps_back(file.path) : real;
    names.erase(file.path);
    file.also_by = std::move(names);
    if (real.empty()) return;
    std::erase_if(file.also_by, is_of_a_process);
    for (const std::string& name : file.also_by)
        if (!is_there(name)) file.gone_names.insert(name);
    for (const std::string& name : file.gone_names) file.also_by.erase(name);
}

}  // namespace quarry::analyze
