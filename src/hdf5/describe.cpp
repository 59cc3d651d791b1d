#include "hdf5/describe.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/json_text.hpp"

namespace quarry::hdf5 {
namespace {

// Longer lists are cut: a description must not grow with the data.
constexpr int kMostMembers = 500;
constexpr int kMostFiles = 1000;
constexpr int kDeepest = 16;

std::string number_list(std::span<const hsize_t> numbers) {
    std::string text;
    for (const hsize_t number : numbers) {
        text += text.empty() ? "" : ",";
        text += number == H5S_UNLIMITED ? "null" : std::to_string(number);
    }
    return "[" + text + "]";
}

const char* order_of(const Api& api, hid_t type) {
    switch (api.H5Tget_order(type)) {
        case H5T_ORDER_LE:
            return "le";
        case H5T_ORDER_BE:
            return "be";
        default:
            return "";
    }
}

std::string type_text(const Api& api, hid_t type, int depth);

std::string super_type_text(const Api& api, hid_t type, int depth) {
    const hid_t super = api.H5Tget_super(type);
    if (super < 0) return "?";
    std::string text = type_text(api, super, depth + 1);
    api.H5Tclose(super);
    return text;
}

std::string compound_text(const Api& api, hid_t type, int depth) {
    std::string text;
    const int members = api.H5Tget_nmembers(type);
    for (int i = 0; i < std::min(members, kMostMembers); ++i) {
        const auto index = static_cast<unsigned>(i);
        char* name = api.H5Tget_member_name(type, index);
        const hid_t member = api.H5Tget_member_type(type, index);
        text += (i > 0 ? ", " : "") + std::string(name != nullptr ? name : "?") + ": " +
                (member >= 0 ? type_text(api, member, depth + 1) : "?");
        if (member >= 0) api.H5Tclose(member);
        if (name != nullptr) api.H5free_memory(name);
    }
    return "compound{" + text + (members > kMostMembers ? ", ..." : "") + "}";
}

std::string array_text(const Api& api, hid_t type, int depth) {
    std::array<hsize_t, H5S_MAX_RANK> dimensions;
    const int rank = api.H5Tget_array_ndims(type);
    if (rank < 0 || api.H5Tget_array_dims2(type, dimensions.data()) < 0) return "array";
    return "array" + number_list(std::span(dimensions).first(static_cast<size_t>(rank))) + " of " +
           super_type_text(api, type, depth);
}

std::string type_text(const Api& api, hid_t type, int depth) {
    if (depth > kDeepest) return "...";
    const size_t size = api.H5Tget_size(type);
    const std::string bits = std::to_string(size * 8);
    const std::string bytes = "[" + std::to_string(size) + "]";
    switch (api.H5Tget_class(type)) {
        case H5T_INTEGER:
            return (api.H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + bits +
                   order_of(api, type);
        case H5T_FLOAT:
            return "float" + bits + order_of(api, type);
        case H5T_STRING:
            return api.H5Tis_variable_str(type) > 0 ? "string" : "string" + bytes;
        case H5T_BITFIELD:
            return "bitfield" + bits + order_of(api, type);
        case H5T_OPAQUE:
            return "opaque" + bytes;
        case H5T_COMPOUND:
            return compound_text(api, type, depth);
        case H5T_REFERENCE:
            return "reference" + bytes;
        case H5T_ENUM:
            return "enum of " + super_type_text(api, type, depth);
        case H5T_VLEN:
            return "variable-length of " + super_type_text(api, type, depth);
        case H5T_ARRAY:
            return array_text(api, type, depth);
        default:
            return "other" + bytes;
    }
}

std::string shape_json(const Api& api, hid_t space) {
    if (api.H5Sget_simple_extent_type(space) == H5S_NULL) return "\"shape\":null";
    std::array<hsize_t, H5S_MAX_RANK> now;
    std::array<hsize_t, H5S_MAX_RANK> most;
    const int rank = api.H5Sget_simple_extent_dims(space, now.data(), most.data());
    if (rank < 0) return "\"shape\":null";
    const auto size = static_cast<size_t>(rank);
    return "\"shape\":" + number_list(std::span(now).first(size)) +
           ",\"max\":" + number_list(std::span(most).first(size));
}

std::string filters_json(const Api& api, hid_t creation) {
    std::string json;
    const int count = api.H5Pget_nfilters(creation);
    for (int i = 0; i < count; ++i) {
        unsigned flags = 0;
        std::array<unsigned, 32> values{};
        size_t size = values.size();
        std::array<char, 64> name{};
        unsigned configuration = 0;
        const H5Z_filter_t filter =
            api.H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &size, values.data(),
                               name.size() - 1, name.data(), &configuration);
        std::string list;
        for (size_t k = 0; k < std::min(size, values.size()); ++k) {
            list += (k > 0 ? "," : "") + std::to_string(values[k]);
        }
        json += (i > 0 ? "," : "") + std::string("{\"id\":") + std::to_string(filter) +
                ",\"name\":" + json_quoted(name.data()) + ",\"values\":[" + list + "]}";
    }
    return count > 0 ? ",\"filters\":[" + json + "]" : "";
}

std::string external_json(const Api& api, hid_t creation) {
    std::string json;
    const int count = std::min(api.H5Pget_external_count(creation), kMostFiles);
    for (int i = 0; i < count; ++i) {
        std::array<char, 4096> name{};
        off_t offset = 0;
        hsize_t size = 0;
        api.H5Pget_external(creation, static_cast<unsigned>(i), name.size() - 1, name.data(),
                            &offset, &size);
        json += (i > 0 ? "," : "") + std::string("{\"file\":") + json_quoted(name.data()) +
                ",\"offset\":" + std::to_string(offset) +
                ",\"size\":" + (size == H5F_UNLIMITED ? "null" : std::to_string(size)) + "}";
    }
    return count > 0 ? ",\"external\":[" + json + "]" : "";
}

std::string virtual_json(const Api& api, hid_t creation) {
    size_t all = 0;
    if (api.H5Pget_virtual_count(creation, &all) < 0) return "";
    std::string json;
    for (size_t i = 0; i < std::min<size_t>(all, kMostFiles); ++i) {
        std::array<char, 4096> file{};
        std::array<char, 4096> dataset{};
        api.H5Pget_virtual_filename(creation, i, file.data(), file.size());
        api.H5Pget_virtual_dsetname(creation, i, dataset.data(), dataset.size());
        json += (i > 0 ? "," : "") + std::string("{\"file\":") + json_quoted(file.data()) +
                ",\"dataset\":" + json_quoted(dataset.data()) + "}";
    }
    return ",\"sources\":[" + json + "],\"source_count\":" + std::to_string(all);
}

std::string layout_json(const Api& api, hid_t creation) {
    switch (api.H5Pget_layout(creation)) {
        case H5D_COMPACT:
            return ",\"layout\":\"compact\"";
        case H5D_CONTIGUOUS:
            return ",\"layout\":\"contiguous\"" + external_json(api, creation);
        case H5D_CHUNKED: {
            std::array<hsize_t, H5S_MAX_RANK> chunk;
            const int rank = api.H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data());
            return ",\"layout\":\"chunked\",\"chunks\":" +
                   number_list(std::span(chunk).first(static_cast<size_t>(std::max(rank, 0)))) +
                   filters_json(api, creation);
        }
        case H5D_VIRTUAL:
            return ",\"layout\":\"virtual\"" + virtual_json(api, creation);
        default:
            return "";
    }
}

// Whether HDF5 writes the fill value wherever it makes room.
std::string fill_json(const Api& api, hid_t creation) {
    H5D_fill_time_t time{};
    H5D_fill_value_t defined{};
    const bool is_known = api.H5Pget_fill_time(creation, &time) >= 0 &&
                          api.H5Pfill_value_defined(creation, &defined) >= 0;
    const bool is_written =
        is_known && (time == H5D_FILL_TIME_ALLOC ||
                     (time == H5D_FILL_TIME_IFSET && defined == H5D_FILL_VALUE_USER_DEFINED));
    return is_written ? ",\"filled\":true" : "";
}

}  // namespace

std::string describe_type(const Api& api, hid_t type) {
    return type_text(api, type, 0);
}

std::string describe_dataset(const Api& api, const DatasetIds& dataset) {
    const std::string storage = dataset.creation >= 0 ? layout_json(api, dataset.creation) +
                                                            fill_json(api, dataset.creation)
                                                      : ",\"layout\":\"contiguous\"";
    return "{\"type\":" + json_quoted(describe_type(api, dataset.type)) +
           ",\"size\":" + std::to_string(api.H5Tget_size(dataset.type)) + "," +
           shape_json(api, dataset.space) + storage + "}";
}

}  // namespace quarry::hdf5
