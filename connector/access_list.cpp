#include "connector/access_list.hpp"

#include "connector/byte_layer.hpp"
#include "connector/external_link.hpp"

namespace quarry::connector {
namespace {

// Carved files are served without the file driver, unless what is read is recorded.
bool needs_driver(const ConnectorConfig& config) {
    const bool only_serves =
        !config.carved.empty() && config.trace.empty() && config.witness.empty();
    return config.bytes && !only_serves;
}

}  // namespace

AccessList::AccessList(Library& library, const Under& under, const Info* info,
                       hid_t callers) noexcept
    : library_(library), list_(callers) {
    const bool bytes = (info == nullptr || needs_driver(info->config)) && byte_layer_works(library);
    if (!bytes && under.is_native) return;
    const hid_t copy = library.api.H5Pcopy(callers);
    if (copy < 0) return;
    list_ = copy;
    is_copy_ = true;
    if (!under.is_native) library.api.H5Pset_vol(copy, under.id, under.info);
    if (bytes && put_driver_around(library, copy, info)) follow_external_links(library);
}

void AccessList::end(Outcome outcome) noexcept {
    if (!is_copy_) return;
    if (outcome == Outcome::Success) {
        library_.api.H5Pclose(list_);
    } else {
        const KeepErrors keep(library_.api);
        library_.api.H5Pclose(list_);
    }
}

}  // namespace quarry::connector
