#include "connector/record_copy.hpp"

#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "connector/members.hpp"
#include "connector/opened_object.hpp"
#include "connector/record_access.hpp"

namespace quarry::connector {
namespace {

struct Members {
    bool is_shallow;
    std::vector<std::string> datasets;
};

herr_t note_member(hid_t, const char* name, const H5O_info2_t* info, void* data) noexcept try {
    auto& members = *static_cast<Members*>(data);
    const bool is_deep = std::string_view(name).find('/') != std::string_view::npos;
    if (info->type == H5O_TYPE_DATASET && !(is_deep && members.is_shallow))
        members.datasets.emplace_back(name);
    return 0;
} catch (const std::bad_alloc&) {
    return -1;
}

// The datasets that are copied with a group, by their paths in it.
std::vector<std::string> datasets_in(const Object& group, hid_t copying, hid_t transfer) {
    const hdf5::Api& api = group.under->library->api;
    unsigned flags = 0;
    if (api.H5Pget_copy_object != nullptr) api.H5Pget_copy_object(copying, &flags);
    Members members{(flags & H5O_COPY_SHALLOW_HIERARCHY_FLAG) != 0, {}};
    const KeepErrors keep(api);
    visit_members(group, transfer, note_member, &members);
    return std::move(members.datasets);
}

void record_read(const Operation& operation, Object& dataset) {
    void* one = &dataset;
    const hid_t all = H5S_ALL;
    Accesses(operation, Accesses::Direction::Read, 1, &one, &all).write(0);
}

}  // namespace

void record_copy(const Operation& operation, const Object& from, H5I_type_t from_type,
                 const char* name, hid_t copying) noexcept try {
    if (!operation || !from.under->is_native) return;
    const hid_t transfer = current_call.transfer;
    OpenedObject source(from, from_type, name, transfer);
    if (!source) return;
    if (source.type() == H5I_DATASET) record_read(operation, source.get());
    if (source.type() != H5I_GROUP) return;
    for (const std::string& member : datasets_in(source.get(), copying, transfer)) {
        OpenedObject dataset(source.get(), H5I_GROUP, member.c_str(), transfer);
        if (dataset) record_read(operation, dataset.get());
    }
} catch (const std::bad_alloc&) {
    stop_recording_without_memory();
}

}  // namespace quarry::connector
