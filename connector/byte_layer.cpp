#include "connector/byte_layer.hpp"

#include "base/fault.hpp"
#include "connector/driver_class.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {
namespace {

thread_local bool asking_ourselves = false;  // then the list of a file is wanted as it is

}  // namespace

bool byte_layer_works(Library& library) noexcept {
    const hdf5::Api& api = library.api;
    if (!api.missing.empty()) {
        give_notice(Notice::Symbol, "the HDF5 in " + api.path + " lacks " + api.missing +
                                        "; going on without Quarry's file driver");
        return false;
    }
    const hdf5::Version version = hdf5::version_of(api);
    const bool known = (version.major == 1 && version.minor >= 14) || version.major == 2;
    if (known && !fault::injected("version")) return true;
    give_notice(Notice::Version, "the HDF5 in " + api.path + " is version " +
                                     std::to_string(version.major) + "." +
                                     std::to_string(version.minor) +
                                     ", which this Quarry does not know; going on without its file "
                                     "driver");
    return false;
}

bool put_driver_around(Library& library, hid_t access, const Info* info) noexcept {
    DriverChoice callers{};
    if (!get_choice(library.api, access, callers)) return false;
    if (wrapped_driver_of(library, callers.driver) != nullptr) {
        free_choice(library, callers);
        return true;
    }
    const WrappedDriver* driver = driver_around(library, callers.driver);
    if (driver == nullptr) {
        free_choice(library, callers);
        return false;
    }
    DriverInfo* ours = make_driver_info(*driver, callers, info);
    if (ours == nullptr) return false;
    const bool done = set_choice(library.api, access, {driver->outer, ours, nullptr});
    release_driver_info(ours);
    return done;
}

bool is_in_file_with_driver(Library& library, hid_t object) noexcept {
    const hdf5::Api& api = library.api;
    const hid_t file = api.H5Iget_file_id(object);
    if (file < 0) return false;
    asking_ourselves = true;
    const hid_t access = api.H5Fget_access_plist(file);
    asking_ourselves = false;
    DriverChoice choice{};
    bool is = false;
    if (access >= 0 && get_choice(api, access, choice)) {
        is = wrapped_driver_of(library, choice.driver) != nullptr;
        free_choice(library, choice);
    }
    if (access >= 0) api.H5Pclose(access);
    api.H5Idec_ref(file);
    return is;
}

void give_back_callers_driver(Library& library, hid_t access) noexcept {
    DriverChoice choice{};
    if (asking_ourselves) return;
    if (!library.api.missing.empty() || !get_choice(library.api, access, choice)) return;
    if (wrapped_driver_of(library, choice.driver) != nullptr && choice.info != nullptr) {
        set_choice(library.api, access, static_cast<const DriverInfo*>(choice.info)->callers);
    }
    free_choice(library, choice);
}

}  // namespace quarry::connector
