#include "hdf5/hollow.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hdf5/failure.hpp"
#include "hdf5/filters.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stand_ins.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

constexpr int kMostFilters = 32;

// HDF5 refuses filters that must be applied for what lies in the heap.
bool can_be_guarded(hid_t type) {
    return !has_variable_length(type);
}

// One chunk for everything, if that is not too large for one.
std::vector<hsize_t> chunk_for(hid_t type, hid_t space) {
    constexpr hsize_t kMostBytes = hsize_t{1} << 31;
    std::vector<hsize_t> chunk(static_cast<size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, chunk.data(), nullptr);
    hsize_t bytes = H5Tget_size(type);
    for (size_t i = chunk.size(); i-- > 0;) {
        chunk[i] = std::clamp<hsize_t>(kMostBytes / bytes, 1, chunk[i]);
        bytes *= chunk[i];
    }
    return chunk;
}

// To a list that is made anew: HDF5 1.14 cannot add to one that it has read from a file, since the
// names of filters in it move and are then looked for, and freed, where they were.
void add_guard(hid_t creation_list, const GuardMark& mark) {
    const std::string what = "a dataset cannot be guarded";
    stand_in_for_filter(kGuardFilter, kGuardName);
    std::vector<Filter> filters = filters_of(creation_list);
    if (!filters.empty()) checked(H5Premove_filter(creation_list, H5Z_FILTER_ALL), what);
    filters.push_back({kGuardFilter, H5Z_FLAG_MANDATORY, {mark.begin(), mark.end()}, kGuardName});
    for (const Filter& filter : filters)
        checked(H5Pset_filter(creation_list, filter.id, filter.flags, filter.values.size(),
                              filter.values.data()),
                what);
}

// An encoded list of properties, which is what is remembered of a dataset, would hold where in
// memory the value was.
bool fills_with_addresses(hid_t type, hid_t creation_list) {
    H5D_fill_value_t fill{};
    H5Pfill_value_defined(creation_list, &fill);
    const bool has_addresses = has_variable_length(type) || has_references(type);
    if (fill != H5D_FILL_VALUE_USER_DEFINED || !has_addresses) return false;
    std::vector<std::byte> value(H5Tget_size(type));
    if (H5Pget_fill_value(creation_list, type, value.data()) < 0) return true;
    const bool is_nothing =
        std::all_of(value.begin(), value.end(), [](std::byte byte) { return byte == std::byte{}; });
    const hid_t one = H5Screate(H5S_SCALAR);
    H5Treclaim(type, one, H5P_DEFAULT, value.data());
    H5Sclose(one);
    return !is_nothing;
}

bool has_most_filters(hid_t creation_list) {
    return H5Pget_nfilters(creation_list) >= kMostFilters;
}
constexpr const char* kFull = "it has as many filters as HDF5 allows";

}  // namespace

std::string why_nothing_is_hollow(hid_t file) {
    constexpr unsigned kNoFillValue = 16;  // bytes that it takes at most to say that there is none
    const Handle creation(H5Fget_create_plist(file), H5Pclose);
    unsigned indexes = 0;
    H5Pget_shared_mesg_nindexes(creation, &indexes);
    for (unsigned i = 0; i < indexes; ++i) {
        unsigned kinds = 0, smallest = 0;
        const bool is_known = H5Pget_shared_mesg_index(creation, i, &kinds, &smallest) >= 0;
        if (!is_known || ((kinds & H5O_SHMESG_FILL_FLAG) != 0 && smallest <= kNoFillValue))
            return "headers of its file share fill values, and HDF5 takes none for one of zeros "
                   "then";
    }
    return "";
}

std::string why_not_hollow(hid_t type, hid_t space, hid_t creation_list) {
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE) return "it is a single value or none";
    if (H5Sget_simple_extent_npoints(space) <= 0) return "it has no elements";
    const H5D_layout_t layout = H5Pget_layout(creation_list);
    if (layout == H5D_COMPACT) return "it lies in its own header";
    if (H5Pget_external_count(creation_list) > 0)
        return "its data lies in other files, and nobody read it";
    if (layout == H5D_VIRTUAL && !can_be_guarded(type))
        return "it is virtual, and of variable length";
    if (can_be_guarded(type) && layout == H5D_CHUNKED && has_most_filters(creation_list))
        return kFull;
    if (fills_with_addresses(type, creation_list))
        return "its fill value is of variable length or refers to something";
    // It would note that there is no fill value any more, and could not unpack what it has packed.
    for (const Filter& filter : filters_of(creation_list))
        if (filter.id == H5Z_FILTER_SCALEOFFSET) return "its filter needs its fill value";
    return "";
}

std::string why_not_in_chunks(hid_t dataset, hid_t type, hid_t creation_list) {
    if (H5Pget_layout(creation_list) != H5D_CHUNKED) return "it was read, and has no chunks";
    if (!can_be_guarded(type)) return "it was read, and is of variable length";
    if (has_references(type)) return "it was read, and refers to objects";
    if (has_most_filters(creation_list)) return kFull;
    H5D_chunk_index_t index{};
    if (H5Dget_chunk_index_type(dataset, &index) < 0 || index == H5D_CHUNK_IDX_NONE)
        return "it was read, and its chunks have no index";
    unsigned options = 0;
    if (H5Pget_chunk_opts(creation_list, &options) < 0 || options != 0)
        return "it was read, and chunks at its edge are not filtered";
    return "";
}

void make_carvable(hid_t creation_list, const GuardMark& mark) {
    add_guard(creation_list, mark);
    // Otherwise HDF5 would make all chunks at once, if not now then with the first one, and could
    // not.
    H5Pset_alloc_time(creation_list, H5D_ALLOC_TIME_INCR);
}

uint32_t guard_bit(hid_t creation_list) {
    return uint32_t{1} << (H5Pget_nfilters(creation_list) - 1);
}

void make_hollow(hid_t creation_list, hid_t type, hid_t space, const GuardMark& mark) {
    const std::string what = "a dataset cannot be made hollow";
    if (can_be_guarded(type)) {
        if (H5Pget_layout(creation_list) != H5D_CHUNKED) {
            const std::vector<hsize_t> chunk = chunk_for(type, space);
            checked(H5Pset_chunk(creation_list, static_cast<int>(chunk.size()), chunk.data()),
                    what);
        }
        add_guard(creation_list, mark);
    }
    // Only so does HDF5 refuse to read what was never written.
    checked(H5Pset_fill_value(creation_list, type, nullptr), what);
    checked(H5Pset_fill_time(creation_list, H5D_FILL_TIME_IFSET), what);
    const bool is_chunked = H5Pget_layout(creation_list) == H5D_CHUNKED;
    checked(
        H5Pset_alloc_time(creation_list, is_chunked ? H5D_ALLOC_TIME_INCR : H5D_ALLOC_TIME_LATE),
        what);
}

}  // namespace quarry::hdf5
