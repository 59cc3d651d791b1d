#include "connector/byte_layer.hpp"

#include "connector/driver_class.hpp"
#include "connector/driver_file.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {

bool byte_layer_works(Library& library) noexcept {
    const hdf5::Api& api = library.api;
    if (!api.missing.empty()) {
        give_notice(Notice::Symbol, {"the HDF5 in ", api.path, " lacks ", api.missing,
                                     "; going on without Quarry's file driver"});
        return false;
    }
    if (is_version_known(library)) return true;
    give_notice(Notice::Version,
                {"the HDF5 in ", api.path, " is version ", std::to_string(library.version->major),
                 ".", std::to_string(library.version->minor),
                 ", which this Quarry does not know; going on without its file driver"});
    return false;
}

DriverPut put_driver_around(Library& library, hid_t access, const DriverChoice& callers,
                            const Info* info) noexcept {
    const bool is_ours = wrapped_driver_of(library, callers.driver) != nullptr;
    const WrappedDriver* driver = is_ours ? nullptr : driver_around(library, callers.driver);
    if (driver == nullptr) {
        free_choice(library, callers);
        return {is_ours, nullptr};
    }
    DriverInfo* ours = make_driver_info(*driver, callers, info);
    if (ours == nullptr) return {};
    if (set_choice(library.api, access, {driver->outer, ours, nullptr})) return {true, ours};
    release_driver_info(ours);
    return {};
}

bool is_in_file_with_driver(Library& library, hid_t group, hid_t transfer) noexcept {
    const Under* native = native_under(library);
    void* native_group = library.api.H5VLobject(group);
    if (native == nullptr || native_group == nullptr) return false;
    // By its number: HDF5 takes a file that it has handed out to have an id, and never closes one
    // that it has opened itself, for another link.
    H5VL_loc_params_t itself{};
    itself.obj_type = H5I_GROUP;
    itself.type = H5VL_OBJECT_BY_SELF;
    H5O_info2_t about{};
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_INFO;
    question.args.get_info.oinfo = &about;
    question.args.get_info.fields = H5O_INFO_BASIC;
    return native->callbacks->object_cls.get(native_group, &itself, &question, transfer, nullptr) >=
               0 &&
           is_open_through_driver(library, about.fileno);
}

void give_back_callers_driver(Library& library, hid_t access) noexcept {
    DriverChoice choice{};
    if (!library.api.missing.empty() || !get_choice(library, access, choice)) return;
    if (wrapped_driver_of(library, choice.driver) != nullptr && choice.info != nullptr) {
        set_choice(library.api, access, static_cast<const DriverInfo*>(choice.info)->callers);
    }
    free_choice(library, choice);
}

}  // namespace quarry::connector
