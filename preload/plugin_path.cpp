// Programs that set HDF5_PLUGIN_PATH know nothing of the connector that HDF5 is told to use, and
// without finding it HDF5 does not start. So HDF5 is told where it lies whatever they set, and the
// connector, whether they have set it.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include "base/fork.hpp"
#include "base/immortal.hpp"

namespace {

using namespace quarry;

constexpr const char* kPath = "HDF5_PLUGIN_PATH";
constexpr const char* kPathUnset = "QUARRY_PLUGIN_PATH_UNSET";
char is_unset[] = "1";

std::mutex mutex;
[[maybe_unused]] const bool mutex_is_free = keep_free_across_fork<mutex>();

// The C library's own, under its other name: no search for it, which might ask for variables.
// Where it would give nothing, to privileged programs, no library is preloaded.
char* value_of(const char* name) {
    return secure_getenv(name);
}

bool connector_is_wanted() {
    const char* connector = value_of("HDF5_VOL_CONNECTOR");
    return connector != nullptr && std::string_view(connector).starts_with("quarry ");
}

// This library lies in a folder of the plugin's.
std::string_view plugin_directory() {
    Dl_info self{};
    if (dladdr(&is_unset, &self) == 0 || self.dli_fname == nullptr) return {};
    std::string_view path = self.dli_fname;
    for (int i = 0; i < 2; ++i) path = path.substr(0, std::min(path.rfind('/'), path.size()));
    return path;
}

bool lists(std::string_view path, std::string_view directory) {
    while (true) {
        const size_t end = std::min(path.find(':'), path.size());
        if (path.substr(0, end) == directory) return true;
        if (end == path.size()) return false;
        path.remove_prefix(end + 1);
    }
}

// As long as the process: whoever asks for a variable keeps what it is given.
char* kept(std::string text) {
    static Immortal<std::set<std::string>> all;
    const std::lock_guard guard(mutex);
    return const_cast<char*>(all->insert(std::move(text)).first->c_str());
}

char* path_with_plugin(char* path) noexcept try {
    const std::string_view directory = plugin_directory();
    if (path == nullptr || *path == '\0') return kept(std::string(directory));
    if (lists(path, directory)) return path;
    return kept(std::string(path).append(":").append(directory));
} catch (const std::bad_alloc&) {
    return path;
}

char* unset_by_now(char* at_start) noexcept {
    const char* path = value_of(kPath);
    if (path == nullptr) return is_unset;
    return lists(path, plugin_directory()) ? at_start : nullptr;
}

}  // namespace

extern "C" char* getenv(const char* name) noexcept {
    char* value = value_of(name);
    const bool is_path = std::strcmp(name, kPath) == 0;
    const bool is_mark = std::strcmp(name, kPathUnset) == 0;
    if ((!is_path && !is_mark) || !connector_is_wanted()) return value;
    return is_path ? path_with_plugin(value) : unset_by_now(value);
}
