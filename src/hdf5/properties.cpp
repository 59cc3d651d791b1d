#include "hdf5/properties.hpp"

#include <array>

#include "base/text.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/filters.hpp"
#include "hdf5/hollow.hpp"
#include "hdf5/other_files.hpp"

namespace quarry::hdf5 {
namespace {

const std::string kWhat = "its properties cannot be read";

std::string yes_or_no(bool value) {
    return value ? "yes" : "no";
}

std::string two(unsigned first, unsigned second) {
    return std::to_string(first) + ", " + std::to_string(second);
}

std::string order_text(unsigned flags) {
    if ((flags & H5P_CRT_ORDER_INDEXED) != 0) return "tracked and indexed";
    return (flags & H5P_CRT_ORDER_TRACKED) != 0 ? "tracked" : "not tracked";
}

// Of anything that has attributes.
void add_object_properties(hid_t list, Properties& to) {
    unsigned order = 0, most = 0, least = 0;
    hbool_t times = false;
    checked(H5Pget_attr_creation_order(list, &order), kWhat);
    checked(H5Pget_attr_phase_change(list, &most, &least), kWhat);
    checked(H5Pget_obj_track_times(list, &times), kWhat);
    to.push_back({"order of attributes", order_text(order)});
    to.push_back({"attributes in the header", two(most, least)});
    to.push_back({"times tracked", yes_or_no(times)});
}

void add_shared_messages(hid_t list, Properties& to) {
    unsigned indexes = 0, most = 0, least = 0;
    checked(H5Pget_shared_mesg_nindexes(list, &indexes), kWhat);
    if (indexes == 0) return;
    checked(H5Pget_shared_mesg_phase_change(list, &most, &least), kWhat);
    std::string text = two(most, least);
    for (unsigned i = 0; i < indexes; ++i) {
        unsigned kinds = 0, smallest = 0;
        checked(H5Pget_shared_mesg_index(list, i, &kinds, &smallest), kWhat);
        text += "; kinds " + std::to_string(kinds) + " from " + std::to_string(smallest) + " bytes";
    }
    to.push_back({"shared messages", text});
}

void add_file_space(hid_t list, Properties& to) {
    H5F_fspace_strategy_t strategy{};
    hbool_t persists = false;
    hsize_t threshold = 0, page = 0;
    checked(H5Pget_file_space_strategy(list, &strategy, &persists, &threshold), kWhat);
    checked(H5Pget_file_space_page_size(list, &page), kWhat);
    constexpr std::array kNames{"free-space managers", "pages", "aggregation", "none"};
    to.push_back({"file space strategy", kNames.at(static_cast<size_t>(strategy))});
    to.push_back({"free space kept", yes_or_no(persists)});
    to.push_back({"smallest free space", std::to_string(threshold)});
    to.push_back({"page size", std::to_string(page)});
}

std::string layout_text(H5D_layout_t layout) {
    constexpr std::array kNames{"compact", "contiguous", "chunked", "virtual"};
    return layout >= 0 && layout < H5D_NLAYOUTS ? kNames.at(static_cast<size_t>(layout))
                                                : "unknown";
}

void add_chunks(hid_t list, Properties& to) {
    std::vector<hsize_t> chunk(H5S_MAX_RANK);
    chunk.resize(static_cast<size_t>(
        checked(H5Pget_chunk(list, static_cast<int>(chunk.size()), chunk.data()), kWhat)));
    unsigned options = 0;
    checked(H5Pget_chunk_opts(list, &options), kWhat);
    to.push_back({"chunk shape", shape_text(chunk)});
    to.push_back({"partial chunks filtered",
                  yes_or_no((options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) == 0)});
}

void add_filling(hid_t list, Properties& to) {
    H5D_fill_value_t defined{};
    H5D_fill_time_t fill{};
    H5D_alloc_time_t allocation{};
    checked(H5Pfill_value_defined(list, &defined), kWhat);
    checked(H5Pget_fill_time(list, &fill), kWhat);
    checked(H5Pget_alloc_time(list, &allocation), kWhat);
    constexpr std::array kDefined{"undefined", "default", "set"};
    constexpr std::array kFill{"on allocation", "never", "if set"};
    constexpr std::array kAllocation{"default", "early", "late", "incremental"};
    to.push_back({"fill value", kDefined.at(static_cast<size_t>(defined))});
    to.push_back({"fill time", kFill.at(static_cast<size_t>(fill))});
    to.push_back({"allocation time", kAllocation.at(static_cast<size_t>(allocation))});
}

// What the guard is called is not a property of the data.
void add_filters(hid_t list, Properties& to) {
    std::string text;
    for (const Filter& filter : filters_of(list)) {
        text += (text.empty() ? "" : ", ") + std::to_string(filter.id);
        if (!filter.name.empty() && filter.id != kGuardFilter)
            text += " " + shell_quoted(filter.name);
        text += (filter.flags & H5Z_FLAG_OPTIONAL) != 0 ? " optional (" : " (";
        for (const unsigned value : filter.values) text += " " + std::to_string(value);
        text += " )";
    }
    if (!text.empty()) to.push_back({"filters", text});
}

void add_external_files(hid_t list, Properties& to) {
    const std::vector<ExternalFile> files = external_files_of(list);
    for (size_t i = 0; i < files.size(); ++i)
        to.push_back({"external file " + std::to_string(i),
                      files[i].name + ", " + std::to_string(files[i].size) + " bytes from " +
                          std::to_string(files[i].offset)});
}

std::string space_bytes(hid_t space) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    size_t size = 0;
    checked(H5Sencode2(space, nullptr, &size, access), kWhat);
    std::vector<unsigned char> bytes(size);
    checked(H5Sencode2(space, bytes.data(), &size, access), kWhat);
    std::string text;
    for (const unsigned char byte : bytes) text += std::to_string(byte) + " ";
    return text;
}

void add_mappings(hid_t list, Properties& to) {
    const std::vector<VirtualMapping> mappings = mappings_of(list);
    for (size_t i = 0; i < mappings.size(); ++i) {
        const auto& [file, dataset, here, there] = mappings[i];
        to.push_back({"mapping " + std::to_string(i),
                      shell_quoted(file) + ":" + shell_quoted(dataset) + ", " + space_bytes(there) +
                          " to " + space_bytes(here)});
    }
}

}  // namespace

std::string shape_text(const std::vector<hsize_t>& shape) {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += " x ";
        text += shape[i] == H5S_UNLIMITED ? "unlimited" : std::to_string(shape[i]);
    }
    return text;
}

Handle creation_list_of(hid_t object) {
    const std::string what = "its properties cannot be read";
    switch (H5Iget_type(object)) {
        case H5I_DATASET:
            return {checked(H5Dget_create_plist(object), what), H5Pclose};
        case H5I_DATATYPE:
            return {checked(H5Tget_create_plist(object), what), H5Pclose};
        default:
            return {checked(H5Gget_create_plist(object), what), H5Pclose};
    }
}

Properties file_properties(hid_t file) {
    const Handle list(checked(H5Fget_create_plist(file), kWhat), H5Pclose);
    H5F_info2_t info{};
    hsize_t user_block = 0;
    size_t of_addresses = 0, of_sizes = 0;
    unsigned internal = 0, leaf = 0, chunks = 0;
    checked(H5Fget_info2(file, &info), kWhat);
    checked(H5Pget_userblock(list, &user_block), kWhat);
    checked(H5Pget_sizes(list, &of_addresses, &of_sizes), kWhat);
    checked(H5Pget_sym_k(list, &internal, &leaf), kWhat);
    checked(H5Pget_istore_k(list, &chunks), kWhat);
    Properties found{
        {"version of the superblock", std::to_string(info.super.version)},
        {"size of the user block", std::to_string(user_block)},
        {"bytes of addresses", std::to_string(of_addresses)},
        {"bytes of sizes", std::to_string(of_sizes)},
        {"trees of groups", two(internal, leaf)},
        {"trees of chunks", std::to_string(chunks)},
    };
    add_shared_messages(list, found);
    add_file_space(list, found);
    return found;
}

Properties group_properties(hid_t list) {
    unsigned order = 0, most = 0, least = 0, names = 0, length = 0;
    size_t hint = 0;
    checked(H5Pget_link_creation_order(list, &order), kWhat);
    checked(H5Pget_link_phase_change(list, &most, &least), kWhat);
    checked(H5Pget_est_link_info(list, &names, &length), kWhat);
    checked(H5Pget_local_heap_size_hint(list, &hint), kWhat);
    Properties found{
        {"order of links", order_text(order)},
        {"links in the header", two(most, least)},
        {"links expected", two(names, length)},
        {"size of the heap", std::to_string(hint)},
    };
    add_object_properties(list, found);
    return found;
}

Properties dataset_properties(hid_t list) {
    const H5D_layout_t layout = H5Pget_layout(list);
    Properties found{{"layout", layout_text(layout)}};
    if (layout == H5D_CHUNKED) add_chunks(list, found);
    add_filling(list, found);
    add_filters(list, found);
    add_external_files(list, found);
    if (layout == H5D_VIRTUAL) add_mappings(list, found);
    add_object_properties(list, found);
    return found;
}

Properties named_type_properties(hid_t list) {
    Properties found;
    add_object_properties(list, found);
    return found;
}

Properties space_properties(hid_t space) {
    const H5S_class_t kind = H5Sget_simple_extent_type(space);
    if (kind == H5S_NULL) return {{"shape", "null"}};
    if (kind == H5S_SCALAR) return {{"shape", "a single value"}};
    std::vector<hsize_t> shape(
        static_cast<size_t>(checked(H5Sget_simple_extent_ndims(space), kWhat)));
    std::vector<hsize_t> largest(shape.size());
    checked(H5Sget_simple_extent_dims(space, shape.data(), largest.data()), kWhat);
    return {{"shape", shape_text(shape)}, {"largest shape", shape_text(largest)}};
}

}  // namespace quarry::hdf5
