#include "connector/open_originals.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

struct OpenOriginal {
    hid_t id = -1;
    size_t users = 0;
};
using Whose = std::pair<const Library*, const CarvedFile*>;
Immortal<std::map<Whose, OpenOriginal>> originals;

std::mutex originals_mutex;
[[maybe_unused]] const bool originals_mutex_is_free = keep_free_across_fork<originals_mutex>();

// Not that of the carved file: HDF5 takes a file that it has handed out for such a question to have
// an id, and never closes one that it has opened itself, for an external link.
hid_t default_access_list(const hdf5::Api& api) {
    // As HDF5 encodes it: the version, the kind of list, and no property that is not by default.
    // The kinds by their names are variables of the library, of which a program may hold a copy.
    constexpr uint8_t kEncoded[] = {0, 4, 0};
    return api.H5Pdecode(kEncoded);
}

hid_t opened(const Object& object, const std::string& place) {
    const hdf5::Api& api = object.under->library->api;
    const QuietErrors quiet(api);
    const hid_t access = default_access_list(api);
    api.H5Pset_vol(access, object.under->id, nullptr);
    const hid_t file = api.H5Fopen(place.c_str(), kReadOnly, access);
    api.H5Pclose(access);
    return file;
}

Whose key_of(const Object& object, const CarvedFile& file) {
    return {object.under->library, &file};
}

}  // namespace

bool is_open(const hdf5::Api& api, hid_t id) {
    return id >= 0 && api.H5Iis_valid != nullptr && api.H5Iis_valid(id) > 0;
}

hid_t share_original(const Object& object, CarvedFile& file) {
    const std::string place = file.place_of_original();
    if (place.empty()) return -1;
    const std::lock_guard guard(originals_mutex);
    OpenOriginal& original = (*originals)[key_of(object, file)];
    if (!is_open(object.under->library->api, original.id)) original.id = opened(object, place);
    if (original.id >= 0) ++original.users;
    return original.id;
}

void leave_original(const Object& object, CarvedFile& file) noexcept {
    const hdf5::Api& api = object.under->library->api;
    const std::lock_guard guard(originals_mutex);
    const auto found = originals->find(key_of(object, file));
    if (found == originals->end() || found->second.users == 0 || --found->second.users > 0) return;
    const QuietErrors quiet(api);
    if (is_open(api, found->second.id)) api.H5Fclose(found->second.id);
    originals->erase(found);
}

}  // namespace quarry::connector
