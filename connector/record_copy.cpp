#include "connector/record_copy.hpp"

#include <new>
#include <string>
#include <vector>

#include "connector/copy_reach.hpp"
#include "connector/members.hpp"
#include "connector/opened_object.hpp"
#include "connector/record_access.hpp"

namespace quarry::connector {
namespace {

herr_t note_member(hid_t, const char* name, const H5O_info2_t* info, void* data) noexcept try {
    if (info->type == H5O_TYPE_DATASET)
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
} catch (const std::bad_alloc&) {
    return -1;
}

// By their paths in the group. All below it, also where only its own members are copied: one of
// those may be told by a path in another group.
std::vector<std::string> datasets_below(const Object& group, hid_t transfer) {
    std::vector<std::string> datasets;
    const KeepErrors keep(group.under->library->api);
    visit_members(group, transfer, note_member, &datasets);
    return datasets;
}

void record_read(const Operation& operation, Object& dataset) {
    void* one = &dataset;
    const hid_t all = H5S_ALL;
    Accesses(operation, Accesses::Direction::Read, 1, &one, &all).write(0);
}

void record_all_below(const Operation& operation, const Object& group, hid_t transfer) {
    for (const std::string& member : datasets_below(group, transfer)) {
        OpenedObject dataset(group, H5I_GROUP, member.c_str(), transfer);
        if (dataset) record_read(operation, dataset.get());
    }
}

}  // namespace

void record_copy(const Operation& operation, const Object& from, H5I_type_t from_type,
                 const char* name, hid_t copying) noexcept try {
    if (!operation) return;
    const hid_t transfer = current_call.transfer;
    OpenedObject source(from, from_type, name, transfer);
    if (!source) return;
    const CopyReach reach = reach_of_copy(source.get(), source.type(), copying, transfer);
    if (source.type() == H5I_DATASET) record_read(operation, source.get());
    if (reach == CopyReach::Group) record_all_below(operation, source.get(), transfer);
    if (reach != CopyReach::File) return;
    const OpenedObject root(source.get(), source.type(), "/", transfer);
    if (root) record_all_below(operation, root.get(), transfer);
} catch (const std::bad_alloc&) {
    stop_recording_without_memory();
}

}  // namespace quarry::connector
