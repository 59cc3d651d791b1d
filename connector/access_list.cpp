#include "connector/access_list.hpp"

#include <optional>

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
    if (!under.is_native || !has_driver_without_info(library, callers)) {
        const hid_t copy = library.api.H5Pcopy(callers);
        if (copy < 0) return;
        list_ = copy;
        is_copy_ = true;
    }
    if (!under.is_native) library.api.H5Pset_vol(list_, under.id, under.info);
    if (!bytes) return;
    const DriverPut put = put_driver_around(library, list_, info);
    if (put != DriverPut::Not) follow_external_links(library);
    is_driver_lent_ = put == DriverPut::Now && !is_copy_;
}

void AccessList::end(Outcome outcome) noexcept {
    if (!is_copy_ && !is_driver_lent_) return;
    std::optional<KeepErrors> keep;
    if (outcome == Outcome::Failure) keep.emplace(library_.api);
    if (is_driver_lent_) give_back_callers_driver(library_, list_);
    if (is_copy_) library_.api.H5Pclose(list_);
}

}  // namespace quarry::connector
