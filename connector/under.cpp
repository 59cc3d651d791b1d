#include "connector/under.hpp"

#include <memory>
#include <string_view>

#include "connector/library.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {

struct NamedUnder {
    std::string name;
    std::string info;
    int life;
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

bool load(Under& under, Library& library, const char* name, const char* info) {
    const hdf5::Api& api = library.api;
    const QuietErrors quiet(api);
    if (!api.missing.empty()) return false;
    if (std::string_view(name) == "pass_through" && api.H5VL_pass_through_register != nullptr) {
        api.H5VL_pass_through_register();
    }
    under.is_native = false;
    return fill(under, library, api.H5VLregister_connector_by_name(name, H5P_DEFAULT)) &&
           (*info == '\0' || api.H5VLconnector_str_to_info(info, under.id, &under.info) >= 0);
}

}  // namespace

const Under* native_under(Library& library) {
    if (!library.api.usable) {
        give_notice(Notice::Symbol, {"the HDF5 in ", library.api.path,
                                     " hides its functions, so Quarry cannot serve it; run the "
                                     "program without HDF5_VOL_CONNECTOR (see `quarry doctor`)"});
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
        if (named->life == library.life && named->name == name && named->info == info) {
            return &named->under;
        }
    }
    auto named =
        std::make_unique<NamedUnder>(name, info, library.life, Under(), library.named_unders);
    if (!load(named->under, library, name, info)) {
        give_notice(Notice::Under, {"the connector \"", name, "\" that under= names, with \"", info,
                                    "\", did not load; going on with the native one. Is it on "
                                    "HDF5_PLUGIN_PATH?"});
        const Under* native = native_under(library);
        if (native == nullptr) return nullptr;
        named->under = *native;  // remembered as well: it is looked for only once
        named->under.context.under = &named->under;
    }
    library.named_unders = named.release();
    return &library.named_unders->under;
}

}  // namespace quarry::connector
