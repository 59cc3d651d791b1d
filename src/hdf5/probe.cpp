#include "hdf5/probe.hpp"

#include <dlfcn.h>
#include <hdf5.h>

#include <filesystem>
#include <numeric>

#include "base/elf.hpp"
#include "base/text.hpp"

namespace quarry::hdf5 {
namespace {

// What HDF5's headers say with macros that call into a linked library.
constexpr unsigned kReadOnly = 0;
constexpr unsigned kTruncate = 2;

// A wheel's libraries find each other through the search path of the extension module that loads
// them; loaded on their own they need their neighbours to be there already.
void load_neighbours(const std::string& library, int depth = 0) {
    const auto elf = ElfFile::open(library);
    if (!elf || depth > 8) return;
    const auto directory = std::filesystem::path(library).parent_path();
    for (const std::string& name : elf->needed()) {
        const std::string neighbour = directory / name;
        if (!std::filesystem::exists(neighbour)) continue;
        if (dlopen(neighbour.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD)) continue;
        load_neighbours(neighbour, depth + 1);
        dlopen(neighbour.c_str(), RTLD_LAZY | RTLD_LOCAL);
    }
}

class Library {
public:
    static Result<Library> load(const std::string& path) {
        load_neighbours(path);
        void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (!handle) return Error{path + " does not load: " + dlerror()};
        return Library(handle);
    }

    template <typename Function>
    Function find(const char* name) const {
        return reinterpret_cast<Function>(dlsym(handle_, name));
    }

    // HDF5's predefined types and property classes are variables.
    hid_t constant(const char* name) const {
        const auto* value = static_cast<const hid_t*>(dlsym(handle_, name));
        return value ? *value : H5I_INVALID_HID;
    }

private:
    explicit Library(void* handle) : handle_(handle) {}
    void* handle_;
};

#define QUARRY_CALL(name) library.find<decltype(&::name)>(#name)

struct Sample {
    std::vector<int> values;
    hsize_t extent;
    hsize_t chunk;
};

bool write_sample(const Library& library, const std::string& path, const Sample& sample) {
    const hid_t list = QUARRY_CALL(H5Pcreate)(library.constant("H5P_CLS_DATASET_CREATE_ID_g"));
    const hid_t space = QUARRY_CALL(H5Screate_simple)(1, &sample.extent, nullptr);
    const hid_t type = library.constant("H5T_NATIVE_INT_g");
    QUARRY_CALL(H5Pset_chunk)(list, 1, &sample.chunk);
    const hid_t file = QUARRY_CALL(H5Fcreate)(path.c_str(), kTruncate, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t dataset =
        QUARRY_CALL(H5Dcreate2)(file, "proof", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const herr_t written =
        QUARRY_CALL(H5Dwrite)(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, sample.values.data());
    QUARRY_CALL(H5Dclose)(dataset);
    return written >= 0 && QUARRY_CALL(H5Fclose)(file) >= 0;
}

std::vector<int> read_sample(const Library& library, const std::string& path, size_t count) {
    std::vector<int> values(count, -1);
    const hid_t file = QUARRY_CALL(H5Fopen)(path.c_str(), kReadOnly, H5P_DEFAULT);
    const hid_t dataset = QUARRY_CALL(H5Dopen2)(file, "proof", H5P_DEFAULT);
    QUARRY_CALL(H5Dread)
    (dataset, library.constant("H5T_NATIVE_INT_g"), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    QUARRY_CALL(H5Dclose)(dataset);
    QUARRY_CALL(H5Fclose)(file);
    return values;
}

}  // namespace

Result<LibraryFacts> ask_library(const std::string& path) {
    const auto loaded = Library::load(path);
    if (!loaded) return loaded.error();
    const Library& library = *loaded;
    const auto get_version = QUARRY_CALL(H5get_libversion);
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    if (!get_version || get_version(&major, &minor, &release) < 0)
        return Error{path + " has no HDF5 in it that answers"};
    LibraryFacts facts;
    facts.version =
        std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
    facts.parallel = library.find<void*>("H5Pset_fapl_mpio") != nullptr;
    return facts;
}

Result<Work> load_plugin(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return Error{dlerror()};
    for (const char* name : {"H5PLget_plugin_type", "H5PLget_plugin_info"})
        if (!dlsym(handle, name)) return Error{path + " has no " + name};
    return Work::Done;
}

Result<Work> exercise_library(const std::string& path, const std::string& file) {
    const auto loaded = Library::load(path);
    if (!loaded) return loaded.error();
    const Library& library = *loaded;
    for (const char* name : {"H5open", "H5Fcreate", "H5Dcreate2", "H5Dread", "H5PLget"})
        if (!library.find<void*>(name)) return Error{path + " lacks " + name};
    if (QUARRY_CALL(H5open)() < 0) return Error{"HDF5 in " + path + " does not start"};

    Sample sample{std::vector<int>(1000), 1000, 64};
    std::iota(sample.values.begin(), sample.values.end(), 7);
    if (!write_sample(library, file, sample)) return Error{"writing " + file + " failed"};
    if (read_sample(library, file, sample.values.size()) != sample.values)
        return Error{"what was read from " + file + " is not what was written"};
    return Work::Done;
}

}  // namespace quarry::hdf5
