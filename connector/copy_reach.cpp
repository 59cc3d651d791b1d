#include "connector/copy_reach.hpp"

#include "connector/library.hpp"
#include "connector/members.hpp"

namespace quarry::connector {
namespace {

struct Links {
    bool is_any_soft = false;
    bool is_any_external = false;
};

herr_t look_at_link(hid_t, const char*, const H5L_info2_t* info, void* data) noexcept {
    auto& links = *static_cast<Links*>(data);
    links.is_any_soft |= info->type == H5L_TYPE_SOFT;
    links.is_any_external |= info->type == H5L_TYPE_EXTERNAL;
    return 0;
}

// Of every kind, where that cannot be told.
Links links_below(const Object& group, hid_t transfer) {
    Links links;
    return visit_links(group, transfer, look_at_link, &links) >= 0 ? links : Links{true, true};
}

// All that there are, where that cannot be told.
unsigned flags_of(const hdf5::Api& api, hid_t copying) {
    unsigned flags = 0;
    if (api.H5Pget_copy_object == nullptr || api.H5Pget_copy_object(copying, &flags) < 0)
        flags = H5O_COPY_ALL;
    return flags;
}

}  // namespace

CopyReach reach_of_copy(const Object& object, H5I_type_t type, hid_t copying,
                        hid_t transfer) noexcept {
    const KeepErrors keep(object.under->library->api);
    const unsigned flags = flags_of(object.under->library->api, copying);
    if ((flags & H5O_COPY_EXPAND_REFERENCE_FLAG) != 0) return CopyReach::File;
    if (type != H5I_GROUP) return CopyReach::Object;
    const bool follows_soft_links =
        (flags & H5O_COPY_EXPAND_SOFT_LINK_FLAG) != 0 && links_below(object, transfer).is_any_soft;
    return follows_soft_links ? CopyReach::File : CopyReach::Group;
}

bool copies_behind_external_links(const Object& group, hid_t copying, hid_t transfer) noexcept {
    const KeepErrors keep(group.under->library->api);
    const unsigned flags = flags_of(group.under->library->api, copying);
    return (flags & H5O_COPY_EXPAND_EXT_LINK_FLAG) != 0 &&
           links_below(group, transfer).is_any_external;
}

}  // namespace quarry::connector
