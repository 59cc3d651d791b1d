#include "connector/external_link.hpp"

#include <array>
#include <utility>

#include "connector/byte_layer.hpp"
#include "connector/under.hpp"

namespace quarry::connector {
namespace {

std::array<H5L_class_t, kLibraries> originals;

// HDF5 wraps a file that it opens with the connector of the call, but looks into it with that on
// the file's list. Where a program has chosen our connector for some files only, it would take what
// we have wrapped for a file.
void put_connector_of(hid_t group, hid_t access, Library& library) {
    const hdf5::Api& api = library.api;
    const hid_t connector = api.H5VLget_connector_id(group);
    hid_t named = -1;
    if (connector >= 0 && api.H5Pget_vol_id(access, &named) >= 0) {
        if (named == native_under(library)->id) api.H5Pset_vol(access, connector, nullptr);
        api.H5Idec_ref(named);
    }
    if (connector >= 0) api.H5Idec_ref(connector);
}

bool put_driver_on(Library& library, hid_t access) {
    DriverChoice callers{};
    if (!get_choice(library, access, callers)) return false;
    const DriverPut put = put_driver_around(library, access, callers, nullptr);
    if (put.info != nullptr) release_driver_info(put.info);
    return put.is_there;
}

// A copy of the link-access list with our driver and connector on the list of the target file; -1
// if it needs none.
hid_t list_with_driver(Library& library, hid_t group, hid_t link_access, hid_t transfer) {
    const hdf5::Api& api = library.api;
    const hid_t target = api.H5Pget_elink_fapl(link_access);
    if (target <= 0) return -1;  // none set: HDF5 takes the parent's, which has our driver already
    hid_t copy = -1;
    // The connector of the group tells nothing: another one may stand above ours, and a file may
    // have been opened without our driver.
    if (is_in_file_with_driver(library, group, transfer) && put_driver_on(library, target)) {
        put_connector_of(group, target, library);
        copy = api.H5Pcopy(link_access);
        if (copy >= 0) api.H5Pset_elink_fapl(copy, target);
    }
    api.H5Pclose(target);
    return copy;
}

template <int kSlot>
hid_t traverse(const char* name, hid_t group, const void* value, size_t size, hid_t link_access,
               hid_t transfer) noexcept {
    Library& library = library_in_slot(kSlot);
    const hid_t list = list_with_driver(library, group, link_access, transfer);
    const hid_t object = originals[kSlot].trav_func(name, group, value, size,
                                                    list >= 0 ? list : link_access, transfer);
    if (list >= 0) {
        const KeepErrors keep(library.api);
        library.api.H5Pclose(list);
    }
    return object;
}

template <size_t... kSlots>
H5L_traverse_func_t traverse_for(size_t slot, std::index_sequence<kSlots...>) {
    constexpr std::array functions{&traverse<kSlots>...};
    return functions[slot];
}

}  // namespace

void follow_external_links(Library& library) noexcept {
    const auto slot = static_cast<size_t>(&library - &library_in_slot(0));
    const H5L_class_t* external = library.api.H5L_find_class(H5L_TYPE_EXTERNAL);
    if (external == nullptr || external->version != H5L_LINK_CLASS_T_VERS) return;
    H5L_class_t ours = *external;
    ours.trav_func = traverse_for(slot, std::make_index_sequence<kLibraries>());
    if (ours.trav_func == external->trav_func) return;
    originals[slot] = *external;
    library.api.H5Lregister(&ours);
}

}  // namespace quarry::connector
