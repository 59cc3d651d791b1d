#include "hdf5/api.hpp"

#include <dlfcn.h>
#include <link.h>

#include <new>

#include "base/fault.hpp"

namespace quarry::hdf5 {
namespace {

// A name that there is no memory for is no reason to do without the library.
void put(std::string& text, const char* piece) noexcept try {
    text += piece;
} catch (const std::bad_alloc&) {
    text.assign(1, '?');
}

// The main program has an empty name in the link map, and dlopen wants a null pointer for it.
void* open_library_at(const void* address, std::string& path) {
    Dl_info where{};
    link_map* map = nullptr;
    if (dladdr1(address, &where, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
        return nullptr;
    }
    if (where.dli_fname != nullptr) put(path, where.dli_fname);
    const bool is_main_program = map == nullptr || map->l_name == nullptr || *map->l_name == '\0';
    return dlopen(is_main_program ? nullptr : map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

template <typename Function>
bool look_up(void* library, const char* name, Function& function) {
    if (fault::injected("symbol", name)) return false;
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

void add_name(std::string& names, const char* name) {
    if (!names.empty()) put(names, ", ");
    put(names, name);
}

}  // namespace

const void* library_base(const void* address) {
    Dl_info where{};
    return dladdr(address, &where) != 0 ? where.dli_fbase : nullptr;
}

void bind_to_library_at(const void* address, Api& api) noexcept {
    void* library = open_library_at(address, api.path);
    if (library == nullptr) return;

    api.usable = true;
#define QUARRY_HDF5_LOOK_UP(name) \
    if (!look_up(library, #name, api.name)) api.usable = false;
    QUARRY_HDF5_ESSENTIAL(QUARRY_HDF5_LOOK_UP)
#undef QUARRY_HDF5_LOOK_UP

#define QUARRY_HDF5_LOOK_UP(name, ...) \
    if (!look_up(library, #name, api.name)) add_name(api.missing, #name);
    QUARRY_HDF5_OPTIONAL(QUARRY_HDF5_LOOK_UP)
    QUARRY_HDF5_INTERNAL(QUARRY_HDF5_LOOK_UP)
#undef QUARRY_HDF5_LOOK_UP

#define QUARRY_HDF5_LOOK_UP(name) \
    if (!look_up(library, #name, api.name)) add_name(api.missing_for_recording, #name);
    QUARRY_HDF5_RECORDING(QUARRY_HDF5_LOOK_UP)
#undef QUARRY_HDF5_LOOK_UP

    api.has_shortcuts = true;
#define QUARRY_HDF5_LOOK_UP(name, ...) \
    if (!look_up(library, #name, api.name)) api.has_shortcuts = false;
    QUARRY_HDF5_SHORTCUTS(QUARRY_HDF5_LOOK_UP)
#undef QUARRY_HDF5_LOOK_UP
    (void)look_up(library, "H5VL_pass_through_register", api.H5VL_pass_through_register);
}

Version version_of(const Api& api) {
    Version version;
    api.H5get_libversion(&version.major, &version.minor, &version.release);
    return version;
}

}  // namespace quarry::hdf5
