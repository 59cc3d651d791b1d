#include "connector/plugin_path.hpp"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>

namespace quarry::connector {
namespace {

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

}  // namespace

void restore_plugin_path(const Library& library) noexcept {
    const char* unset = std::getenv("QUARRY_PLUGIN_PATH_UNSET");
    if (library.may_be_probed || unset == nullptr || library.api.H5PLappend == nullptr) return;
    for (int slot = 0; slot < kLibraries; ++slot) {
        const std::string filters = filters_beside(library_in_slot(slot).api.path);
        if (!filters.empty()) {
            library.api.H5PLappend(filters.c_str());
            return;
        }
    }
}

}  // namespace quarry::connector
