#include "connector/plugin_path.hpp"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <new>
#include <string>

namespace quarry::connector {
namespace {

constexpr const char* kPath = "HDF5_PLUGIN_PATH";

// .../site-packages/netcdf4.libs/libhdf5-*.so -> .../site-packages/netCDF4/plugins
std::string filters_beside(const std::string& library) {
    char resolved[PATH_MAX];
    if (realpath(library.c_str(), resolved) == nullptr) return {};
    const std::string path(resolved);
    const std::string wheel = "/netcdf4.libs/";
    const size_t at = path.rfind(wheel);
    if (at == std::string::npos || path.find('/', at + wheel.size()) != std::string::npos) return {};
    const std::string filters = path.substr(0, at) + "/netCDF4/plugins";
    const std::string sign = filters + "/lib__nczhdf5filters.so";
    return access(sign.c_str(), R_OK) == 0 ? filters : "";
}

void append_to_environment(const std::string& folder) {
    const char* value = std::getenv(kPath);
    const std::string path = value != nullptr ? value : "";
    if ((":" + path + ":").find(":" + folder + ":") != std::string::npos) return;
    setenv(kPath, (path.empty() ? folder : path + ":" + folder).c_str(), 1);
}

}  // namespace

void restore_plugin_path(const Library& library) noexcept {
    if (std::getenv("QUARRY_PLUGIN_PATH_UNSET") == nullptr || library.may_be_probed) return;
    try {
        const std::string filters = filters_beside(library.api.path);
        if (filters.empty()) return;
        append_to_environment(filters);
        if (library.api.H5PLappend != nullptr) library.api.H5PLappend(filters.c_str());
    } catch (const std::bad_alloc&) {
        // The program goes on without those filters and says so where it needs them.
    }
}

}  // namespace quarry::connector
