#include "preload/interest.hpp"

#include <array>

#include "base/installed.hpp"

namespace quarry::preload {
namespace {

constexpr std::array<std::string_view, 8> kSystem{"/proc/", "/sys/", "/dev/",  "/lib",
                                                  "/bin/",  "/etc/", "/sbin/", "/run/"};
constexpr std::array<std::string_view, 4> kCode{"/site-packages/", "/dist-packages/",
                                                "/lib/python3", "/__pycache__/"};

bool is_part_of_a_program(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.ends_with(".so") || name.find(".so.") != std::string_view::npos ||
           name.ends_with(".py") || name.ends_with(".pyc") || name == "pyvenv.cfg";
}

}  // namespace

bool is_data(std::string_view path, std::string_view trace) {
    if (!path.starts_with('/') || path.ends_with(" (deleted)")) return false;
    if (path.starts_with(trace) && path.substr(trace.size()).starts_with('/')) return false;
    if (path.starts_with("/dev/shm/")) return true;
    for (const std::string_view prefix : kSystem)
        if (path.starts_with(prefix)) return false;
    if (is_installed_below("/usr", path) || is_installed_below("/usr/local", path)) return false;
    for (const std::string_view part : kCode)
        if (path.find(part) != std::string_view::npos) return false;
    return !is_part_of_a_program(path);
}

}  // namespace quarry::preload
