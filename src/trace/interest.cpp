#include "trace/interest.hpp"

#include <array>

#include "base/installed.hpp"

namespace quarry::trace {
namespace {

constexpr std::array<std::string_view, 10> kSystem{"/proc/",  "/sys/", "/dev/", "/lib/",  "/lib32/",
                                                   "/lib64/", "/bin/", "/etc/", "/sbin/", "/run/"};
constexpr std::array<std::string_view, 4> kCode{"/site-packages/", "/dist-packages/",
                                                "/lib/python3", "/__pycache__/"};

// As in libz.so or libz.so.1.2, but not in tas.so.1990.nc.
bool is_library(std::string_view name) {
    const size_t end = name.rfind(".so");
    if (end == std::string_view::npos) return false;
    const std::string_view version = name.substr(end + 3);
    return version.empty() || (version.starts_with('.') &&
                               version.find_first_not_of(".0123456789") == std::string_view::npos);
}

bool is_part_of_a_program(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return is_library(name) || name.ends_with(".py") || name.ends_with(".pyc") ||
           name == "pyvenv.cfg";
}

}  // namespace

bool is_data(std::string_view path) {
    if (!path.starts_with('/') || path.ends_with(" (deleted)")) return false;
    if (path.starts_with("/dev/shm/")) return true;
    for (const std::string_view prefix : kSystem)
        if (path.starts_with(prefix)) return false;
    if (is_installed_below("/usr", path) || is_installed_below("/usr/local", path)) return false;
    for (const std::string_view part : kCode)
        if (path.find(part) != std::string_view::npos) return false;
    return !is_part_of_a_program(path);
}

}  // namespace quarry::trace
