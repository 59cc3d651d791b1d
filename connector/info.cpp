#include "connector/info.hpp"

#include <cstring>
#include <new>

#include "connector/notice.hpp"
#include "connector/vol_class.hpp"
#include "connector/witness.hpp"

namespace quarry::connector {
namespace {

constexpr uint64_t kMark = 0x7175617272790001;

Info& as_info(const void* info) {
    return *static_cast<Info*>(const_cast<void*>(info));
}

ConnectorConfig config_or_aside(const Library& library, std::string_view text) {
    Result<ConnectorConfig> config = parse_connector_config(text);
    // HDF5's stock pass-through, standing on us, hands over one byte that it has not set.
    const bool from_above = !library.may_be_probed() && library.default_connector != kConnectorName;
    if (!config && from_above) config = parse_connector_config(text.substr(0, text.size() - 1));
    if (config) return std::move(*config);
    give_notice(Notice::Option, {config.error().message, ". Quarry only passes through."});
    ConnectorConfig aside;
    aside.bytes = false;
    return aside;
}

}  // namespace

size_t info_size() noexcept {
    return sizeof(Info);
}

void* info_copy(const void* info) noexcept {
    as_info(info).references.fetch_add(1, std::memory_order_relaxed);
    return &as_info(info);
}

herr_t info_compare(int* order, const void* left, const void* right) noexcept {
    try {
        *order = to_string(as_info(left).config).compare(to_string(as_info(right).config));
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

herr_t info_free(void* info) noexcept {
    Info& ours = as_info(info);
    if (ours.references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        ours.library->infos.fetch_sub(1);
        delete &ours;
    }
    return 0;
}

herr_t info_to_text(const void* info, char** text) noexcept {
    *text = nullptr;
    const Info& ours = as_info(info);
    if (ours.library->api.H5allocate_memory == nullptr) return -1;
    try {
        const std::string config = to_string(ours.config);
        *text = static_cast<char*>(ours.library->api.H5allocate_memory(config.size() + 1, false));
        if (*text == nullptr) return -1;
        std::memcpy(*text, config.c_str(), config.size() + 1);
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

herr_t info_from_text(Library& library, const char* text, void** info) noexcept {
    *info = nullptr;
    try {
        auto* made = new Info{kMark, 1, &library, config_or_aside(library, text)};
        library.infos.fetch_add(1);
        bear_witness(library, made->config, Witnessed::Library);
        // Loaded now and not when it is first needed: later, HDF5 compares names with one that it
        // has freed by then (seen in 1.14.5, when a connector chosen by the environment is followed
        // by another one by name).
        under_of(library, made);
        *info = made;
    } catch (const std::bad_alloc&) {
        // No info means no options: HDF5 and the program go on.
        give_notice(Notice::Memory, {"memory is short; going on without options"});
    }
    return 0;
}

ChosenInfo::ChosenInfo(const Library& library, hid_t access) noexcept {
    const hdf5::Api& api = library.api;
    void* info = nullptr;
    if (api.H5Pget_vol_info == nullptr || api.H5Pget_vol_info(access, &info) < 0) return;
    if (info == nullptr) return;
    if (as_info(info).mark == kMark) {
        info_ = static_cast<Info*>(info);
        return;
    }
    hid_t connector = -1;
    if (api.H5Pget_vol_id == nullptr || api.H5VLfree_connector_info == nullptr) return;
    if (api.H5Pget_vol_id(access, &connector) < 0) return;
    api.H5VLfree_connector_info(connector, info);
    api.H5Idec_ref(connector);
}

ChosenInfo::~ChosenInfo() {
    if (info_ != nullptr) info_free(info_);
}

const Under* under_of(Library& library, const Info* info) noexcept {
    if (info == nullptr || info->config.under.empty()) return native_under(library);
    try {
        return under_named(library, info->config.under.c_str(), info->config.under_info.c_str());
    } catch (const std::bad_alloc&) {
        give_notice(Notice::Memory, {"memory is short; going on with the native connector"});
        return native_under(library);
    }
}

}  // namespace quarry::connector
