#include "hdf5/stand_ins.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "hdf5/filters.hpp"

namespace quarry::hdf5 {
namespace {

// Each with the name that the file gives it, which is written again. Where it gives none, there
// must be none: HDF5 would write it where it has no room.
std::map<H5Z_filter_t, std::string> stood_in_for;

size_t refuse(unsigned, size_t, const unsigned[], size_t, size_t*, void**) {
    return 0;
}

// What a link of an unknown kind leads to is known to others only, but it can be copied.
ssize_t give_value(const char*, const void* value, size_t size, void* buffer, size_t room) {
    if (buffer != nullptr && size > 0) std::memcpy(buffer, value, std::min(size, room));
    return static_cast<ssize_t>(size);
}

}  // namespace

void stand_in_for_filter(H5Z_filter_t filter, const char* name) {
    if (H5Zfilter_avail(filter) > 0) return;
    H5Z_class2_t stand_in{};
    stand_in.version = H5Z_CLASS_T_VERS;
    stand_in.id = filter;
    stand_in.encoder_present = stand_in.decoder_present = 1;
    const std::string& known = stood_in_for.try_emplace(filter, name).first->second;
    stand_in.name = known.empty() ? nullptr : known.c_str();
    stand_in.filter = refuse;
    H5Zregister(&stand_in);
}

void stand_in_for_filters(hid_t creation_list) {
    for (const Filter& filter : filters_of(creation_list))
        stand_in_for_filter(filter.id, filter.name.c_str());
}

bool has_stand_in(hid_t creation_list) {
    const std::vector<Filter> filters = filters_of(creation_list);
    return std::any_of(filters.begin(), filters.end(),
                       [](const Filter& filter) { return stood_in_for.contains(filter.id); });
}

void stand_in_for_links(H5L_type_t kind) {
    if (H5Lis_registered(kind) > 0) return;
    H5L_class_t stand_in{};
    stand_in.version = H5L_LINK_CLASS_T_VERS;
    stand_in.id = kind;
    stand_in.comment = "not installed";
    stand_in.trav_func = [](const char*, hid_t, const void*, size_t, hid_t, hid_t) -> hid_t {
        return -1;
    };
    stand_in.query_func = give_value;
    H5Lregister(&stand_in);
}

}  // namespace quarry::hdf5
