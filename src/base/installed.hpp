// What is installed: programs, libraries, and what they bring along.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace quarry {

// Below a prefix as "/usr", where people may work in other folders.
inline bool is_installed_below(std::string_view prefix, std::string_view path) {
    constexpr std::array<std::string_view, 10> kFolders{
        "/bin/",     "/sbin/",  "/lib/",     "/lib32/", "/lib64/",
        "/libexec/", "/share/", "/include/", "/etc/",   "/ssl/"};
    if (!path.starts_with(prefix)) return false;
    path.remove_prefix(prefix.size());
    return std::any_of(kFolders.begin(), kFolders.end(),
                       [&](std::string_view folder) { return path.starts_with(folder); });
}

}  // namespace quarry
