#include "connector/access_list.hpp"

#include <optional>

#include "connector/byte_layer.hpp"
#include "connector/external_link.hpp"

namespace quarry::connector {
namespace {

// Carved files are served without the file driver, unless what is read is recorded, HDF5 may open
// others for writing because of this one, or originals are there that copies are opened instead of.
bool needs_driver(const ConnectorConfig& config, AccessList::Intent intent) {
    if (!config.carved.empty() && config.originals.empty()) return true;
    const bool only_serves =
        !config.carved.empty() && config.trace.empty() && config.witness.empty();
    return config.bytes && (!only_serves || intent == AccessList::Intent::Write);
}

}  // namespace

AccessList::AccessList(Library& library, const Under& under, const Info* info, hid_t callers,
                       Intent intent) noexcept
    : library_(library), list_(callers) {
    const bool bytes =
        (info == nullptr || needs_driver(info->config, intent)) && byte_layer_works(library);
    DriverChoice choice{};
    const bool has_choice = bytes && get_choice(library, callers, choice);
    const bool has_more = has_choice && (choice.info != nullptr || choice.configuration != nullptr);
    if ((!under.is_native || has_more) && !make_copy()) {
        if (has_choice) free_choice(library, choice);
        return;
    }
    if (!under.is_native) library.api.H5Pset_vol(list_, under.id, under.info);
    if (!has_choice) return;
    const DriverPut put = put_driver_around(library, list_, choice, info);
    if (put.is_there) follow_external_links(library);
    ours_ = put.info;
}

bool AccessList::make_copy() {
    const hid_t copy = library_.api.H5Pcopy(list_);
    if (copy < 0) return false;
    list_ = copy;
    is_copy_ = true;
    return true;
}

void AccessList::end(Outcome outcome) noexcept {
    if (!is_copy_ && ours_ == nullptr) return;
    std::optional<KeepErrors> keep;
    if (outcome == Outcome::Failure) keep.emplace(library_.api);
    if (is_copy_) {
        library_.api.H5Pclose(list_);
    } else {
        name_callers_driver(*ours_, list_);
    }
    if (ours_ != nullptr) release_driver_info(ours_);
}

}  // namespace quarry::connector
