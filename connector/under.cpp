#include "connector/under.hpp"

#include <string_view>

#include "connector/library.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {

struct NamedUnder {
    std::string name;
    std::string info;
    Under under;
    NamedUnder* next;
};

namespace {

bool fill(Under& under, Library& library, hid_t id) {
    // HDF5 wants an object; at the level "current" no connector looks at it.
    if (id < 0 || library.api.H5VLintrospect_get_conn_cls(&under, id, H5VL_GET_CONN_LVL_CURR,
                                                          &under.callbacks) < 0) {
        return false;
    }
    under.library = &library;
    under.id = id;
    under.context = {&under, nullptr, false};
    return true;
}

const Under* load(Library& library, const char* name, const char* info) {
    const hdf5::Api& api = library.api;
    const QuietErrors quiet(api);
    if (std::string_view(name) == "pass_through" && api.H5VL_pass_through_register != nullptr) {
        api.H5VL_pass_through_register();
    }
    Under under;
    under.is_native = false;
    if (api.H5VLregister_connector_by_name == nullptr || api.H5Pset_vol == nullptr ||
        !fill(under, library, api.H5VLregister_connector_by_name(name, H5P_DEFAULT))) {
        return nullptr;
    }
    if (*info != '\0' && (api.H5VLconnector_str_to_info == nullptr ||
                          api.H5VLconnector_str_to_info(info, under.id, &under.info) < 0)) {
        return nullptr;
    }
    auto* named = new NamedUnder{name, info, under, library.named_unders};
    named->under.context.under = &named->under;
    library.named_unders = named;
    return &named->under;
}

}  // namespace

const Under* native_under(Library& library) {
    if (!library.api.usable) {
        give_notice(Notice::Symbol, "the HDF5 in " + library.api.path +
                                        " hides its functions, so Quarry cannot serve it; run the "
                                        "program without HDF5_VOL_CONNECTOR (see `quarry doctor`)");
        return nullptr;
    }
    if (library.native.callbacks == nullptr &&
        !fill(library.native, library, library.api.H5VLget_connector_id_by_name("native"))) {
        return nullptr;
    }
    return &library.native;
}

const Under* under_named(Library& library, const char* name, const char* info) {
    if (*name == '\0' || std::string_view(name) == "native") return native_under(library);
    for (const NamedUnder* named = library.named_unders; named != nullptr; named = named->next) {
        if (named->name == name && named->info == info) return &named->under;
    }
    if (const Under* under = load(library, name, info)) return under;
    give_notice(Notice::Under, "the connector \"" + std::string(name) +
                                   "\" that under= names, with \"" + info +
                                   "\", did not load; going on with the native one. Is it on "
                                   "HDF5_PLUGIN_PATH?");
    return native_under(library);
}

}  // namespace quarry::connector
