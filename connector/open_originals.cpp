#include "connector/open_originals.hpp"

#include <map>
#include <mutex>
#include <new>
#include <string>

#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

struct OpenOriginal {
    hid_t id = -1;
    size_t users = 0;
};
struct Whose {
    const Library* library;
    const CarvedFile* file;
    uint64_t proof;  // by which another file has taken its place

    auto operator<=>(const Whose&) const = default;
};
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

// Another file may have been put there since the original was looked at.
bool is_proved(const hdf5::Api& api, hid_t opened, CarvedFile& file) {
    void* handle = nullptr;
    return api.H5Fget_vfd_handle(opened, H5P_DEFAULT, &handle) >= 0 && handle != nullptr &&
           file.is_proved(*static_cast<const int*>(handle));
}

herr_t take_first(unsigned, const H5E_error2_t* error, void* text) noexcept try {
    if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 1;
} catch (const std::bad_alloc&) {
    return -1;
}

// As HDF5 says it, where it went wrong.
WhyNotOriginal why_not_opened(const hdf5::Api& api) {
    std::string text;
    if (api.H5Ewalk2 != nullptr) api.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &text);
    return {"HDF5 does not open it: " + (text.empty() ? "it does not say why" : text),
            "If a program has it open for writing, wait for the end of that, or say where else it "
            "is (`quarry run --missing OLD=NEW`)."};
}

// By the driver whose handles are descriptors, whatever the default one is.
hid_t opened(const Object& object, const std::string& place, CarvedFile& carved) {
    const hdf5::Api& api = object.under->library->api;
    if (api.H5Fget_vfd_handle == nullptr || api.H5Pset_fapl_sec2 == nullptr) return -1;
    const QuietErrors quiet(api);
    WhyNotOriginal why;
    const hid_t access = default_access_list(api);
    api.H5Pset_fapl_sec2(access);
    api.H5Pset_vol(access, object.under->id, nullptr);
    const hid_t file = api.H5Fopen(place.c_str(), kReadOnly, access);
    if (file < 0)
        why = why_not_opened(api);
    else if (!is_proved(api, file, carved))
        why = {"it was changed, or another file put there, just now", "Run the program again."};
    carved.note_opening(why);
    api.H5Pclose(access);
    if (why.what.empty()) return file;
    if (file >= 0) api.H5Fclose(file);
    return -1;
}

}  // namespace

bool is_open(const hdf5::Api& api, hid_t id) {
    return id >= 0 && api.H5Iis_valid != nullptr && api.H5Iis_valid(id) > 0;
}

SharedOriginal share_original(const Object& object, CarvedFile& file) {
    const std::string place = file.place_of_original();
    const uint64_t proof = file.proof();
    if (place.empty()) return {};
    const std::lock_guard guard(originals_mutex);
    OpenOriginal& original = (*originals)[{object.under->library, &file, proof}];
    if (!is_open(object.under->library->api, original.id))
        original.id = opened(object, place, file);
    if (original.id >= 0) ++original.users;
    return {original.id, proof};
}

void leave_original(const Object& object, CarvedFile& file, SharedOriginal shared) noexcept {
    if (shared.id < 0) return;
    const hdf5::Api& api = object.under->library->api;
    const std::lock_guard guard(originals_mutex);
    const auto found = originals->find({object.under->library, &file, shared.proof});
    if (found == originals->end() || found->second.users == 0 || --found->second.users > 0) return;
    const QuietErrors quiet(api);
    if (is_open(api, found->second.id)) api.H5Fclose(found->second.id);
    originals->erase(found);
}

}  // namespace quarry::connector
