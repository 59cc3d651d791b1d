#include "connector/default_path.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>

namespace quarry::connector {
namespace {

struct Search {
    uintptr_t base;
    std::string_view found;
};

bool is_plugin_directory(std::string_view path) {
    return path.starts_with('/') && (path.ends_with("/plugin") || path.ends_with("/plugins"));
}

// HDF5 is built with one or several directories, all by that name.
bool is_plugin_path(std::string_view text) {
    if (text.find_first_of("% ") != std::string_view::npos) return false;
    while (true) {
        const size_t end = std::min(text.find(':'), text.size());
        if (!is_plugin_directory(text.substr(0, end))) return false;
        if (end == text.size()) return true;
        text.remove_prefix(end + 1);
    }
}

std::string_view find_path(std::string_view constants) {
    constexpr std::string_view sign = "/plugin";
    for (size_t at = constants.find(sign); at != std::string_view::npos;
         at = constants.find(sign, at + 1)) {
        const size_t before = constants.rfind('\0', at);
        const size_t begin = before == std::string_view::npos ? 0 : before + 1;
        const size_t end = constants.find('\0', at);
        if (end == std::string_view::npos) break;
        const std::string_view text = constants.substr(begin, end - begin);
        if (is_plugin_path(text)) return text;
    }
    return {};
}

int search_library(dl_phdr_info* library, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    const bool is_it = std::any_of(
        library->dlpi_phdr, library->dlpi_phdr + library->dlpi_phnum, [&](const ElfW(Phdr) & part) {
            return part.p_type == PT_LOAD && library->dlpi_addr + part.p_vaddr == search.base;
        });
    if (!is_it) return 0;
    for (int i = 0; i < library->dlpi_phnum && search.found.empty(); ++i) {
        const ElfW(Phdr) & part = library->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_R) == 0 || (part.p_flags & PF_W) != 0)
            continue;
        const auto* bytes = reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr);
        search.found = find_path({bytes, part.p_filesz});
    }
    return 1;
}

}  // namespace

std::string_view default_plugin_path(const void* base) noexcept {
    Search search{reinterpret_cast<uintptr_t>(base), {}};
    dl_iterate_phdr(search_library, &search);
    return search.found;
}

}  // namespace quarry::connector
