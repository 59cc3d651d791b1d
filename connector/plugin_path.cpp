#include "connector/plugin_path.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connector/default_path.hpp"

namespace quarry::connector {
namespace {

constexpr const char* kPath = "HDF5_PLUGIN_PATH";

enum class Restored { Nothing, Default, Filters };

std::atomic<const std::string*> wheel_filters{
    nullptr};  // of the netCDF4 wheel, once its library has started
std::array<std::atomic<Restored>, kLibraries> restored;

// .../site-packages/netcdf4.libs/libhdf5-*.so -> .../site-packages/netCDF4/plugins
std::string filters_beside(const std::string& library) {
    char resolved[PATH_MAX];
    if (realpath(library.c_str(), resolved) == nullptr) return {};
    const std::string path(resolved);
    const std::string wheel = "/netcdf4.libs/";
    const size_t at = path.rfind(wheel);
    if (at == std::string::npos || path.find('/', at + wheel.size()) != std::string::npos)
        return {};
    const std::string filters = path.substr(0, at) + "/netCDF4/plugins";
    const std::string sign = filters + "/lib__nczhdf5filters.so";
    return access(sign.c_str(), R_OK) == 0 ? filters : "";
}

void append_to_environment(const std::string& filters) {
    const char* value = std::getenv(kPath);
    const std::string path = value != nullptr ? value : "";
    if ((":" + path + ":").find(":" + filters + ":") != std::string::npos) return;
    setenv(kPath, (path.empty() ? filters : path + ":" + filters).c_str(), 1);
}

std::atomic<Restored>& state_of(const Library& library) {
    return restored[static_cast<size_t>(&library - &library_in_slot(0))];
}

bool user_has_set_path(const Library& library) {
    return std::getenv("QUARRY_PLUGIN_PATH_UNSET") == nullptr || library.may_be_probed();
}

std::vector<std::string> directories_of(std::string_view path) {
    std::vector<std::string> found;
    while (!path.empty()) {
        const size_t end = std::min(path.find(':'), path.size());
        found.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return found;
}

std::optional<unsigned> place_in_table(const hdf5::Api& api, const std::string& directory) {
    unsigned count = 0;
    std::array<char, PATH_MAX> path{};
    if (api.H5PLsize(&count) < 0) return {};
    for (unsigned i = 0; i < count; ++i) {
        if (api.H5PLget(i, path.data(), path.size()) > 0 && directory == path.data()) return i;
    }
    return {};
}

void append_all(const Library& library, std::string_view path) {
    if (!library.api.missing.empty()) return;
    for (const std::string& directory : directories_of(path)) {
        if (!place_in_table(library.api, directory)) library.api.H5PLappend(directory.c_str());
    }
}

void remove_all(const Library& library, std::string_view path) {
    if (!library.api.missing.empty()) return;
    for (const std::string& directory : directories_of(path)) {
        if (const auto place = place_in_table(library.api, directory))
            library.api.H5PLremove(*place);
    }
}

// As HDF5 has opened it.
std::string own_directory() {
    Dl_info self{};
    if (dladdr(&wheel_filters, &self) == 0 || self.dli_fname == nullptr) return {};
    const std::string path = self.dli_fname;
    return path.substr(0, std::min(path.rfind('/'), path.size()));
}

// Where a program has set the path anew, HDF5 was told of our directory all the same, to find us
// (preload/plugin_path.cpp). It has; the program is not to see it.
void hide_own_directory(const Library& library) {
    // What was truly set.
    const char* path = secure_getenv(kPath);
    const std::vector<std::string> listed = directories_of(path != nullptr ? path : "");
    const std::string own = own_directory();
    if (std::find(listed.begin(), listed.end(), own) == listed.end()) remove_all(library, own);
}

}  // namespace

void restore_plugin_path_at_start(const Library& library) noexcept {
    try {
        hide_own_directory(library);
    } catch (const std::bad_alloc&) {
        // Then it is seen.
    }
    if (user_has_set_path(library)) return;
    if (wheel_filters.load() != nullptr) {
        state_of(library) = Restored::Filters;  // it has read the environment by itself
        return;
    }
    try {
        append_all(library, default_plugin_path(library.base));
        const std::string found = filters_beside(library.api.path);
        if (found.empty()) return;
        append_to_environment(found);
        wheel_filters = new std::string(found);
    } catch (const std::bad_alloc&) {
        // Whoever needs those filters says that they are missing.
    }
}

void restore_plugin_path(const Library& library) noexcept {
    std::atomic<Restored>& state = state_of(library);
    const std::string* wheels = wheel_filters.load(std::memory_order_relaxed);
    const Restored wanted = wheels != nullptr ? Restored::Filters : Restored::Default;
    if (state.load(std::memory_order_relaxed) >= wanted || user_has_set_path(library)) return;
    if (state.exchange(wanted) >= wanted) return;
    try {
        const std::string_view own = default_plugin_path(library.base);
        if (wheels != nullptr) remove_all(library, own);
        append_all(library, wheels != nullptr ? *wheels : own);
    } catch (const std::bad_alloc&) {
        // As above.
    }
}

}  // namespace quarry::connector
