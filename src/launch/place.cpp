#include "launch/place.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/text.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel has it

// The names of a path, the first one last.
std::vector<std::string> reversed_names(const std::string& path) {
    std::vector<std::string> names = split(path, "/");
    std::reverse(names.begin(), names.end());
    return names;
}

fs::path step(const fs::path& from, const std::string& name) {
    if (name == ".") return from;
    return name == ".." ? from.parent_path() : from / name;
}

Place missing(const fs::path& ancestor, std::vector<std::string> names) {
    fs::path path = ancestor;
    for (; !names.empty(); names.pop_back()) path /= names.back();
    return {path.lexically_normal(), false, ancestor};
}

}  // namespace

Result<Place> place_of(const std::string& path) {
    std::vector<std::string> names = reversed_names(path);
    fs::path reached = "/";
    struct stat status{};
    int links = 0;
    for (; !names.empty(); names.pop_back()) {
        const fs::path next = step(reached, names.back());
        if (lstat(next.c_str(), &status) != 0) {
            if (errno == ENOENT || errno == EACCES) return missing(reached, names);
            return Error{path + " cannot be looked up: " + next.string() + ": " +
                         std::strerror(errno) + "."};
        }
        if (!S_ISLNK(status.st_mode)) {
            reached = next;
            continue;
        }
        std::error_code failed;
        const fs::path target = fs::read_symlink(next, failed);
        if (failed || ++links > kMostLinks)
            return Error{path + " cannot be looked up: too many symbolic links, of which " +
                         next.string() + " is one."};
        if (target.is_absolute()) reached = "/";
        names.pop_back();
        const std::vector<std::string> behind = reversed_names(target);
        names.insert(names.end(), behind.begin(), behind.end());
        names.emplace_back(".");  // stands for the link, which the loop takes off
    }
    if (!S_ISREG(status.st_mode))
        return Error{path + " is there and is not a file: nothing can be shown in its place."};
    return Place{reached, true, ""};
}

}  // namespace quarry
