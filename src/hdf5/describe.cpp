#include "hdf5/describe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <vector>

#include "base/json_text.hpp"

namespace quarry::hdf5 {
namespace {

// Longer lists are cut: a description must not grow with the data.
constexpr int kMostMembers = 500;
constexpr int kMostFiles = 1000;
constexpr int kDeepest = 16;

// Everything is appended to one text: a program may meet a hundred thousand datasets.
void add_number(std::string& text, uint64_t number) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(digits.data(), end);
}

void add_numbers(std::string& text, std::span<const hsize_t> numbers) {
    text += '[';
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) text += ',';
        if (numbers[i] == H5S_UNLIMITED) {
            text += "null";
        } else {
            add_number(text, numbers[i]);
        }
    }
    text += ']';
}

void add_bits(std::string& text, const char* name, size_t size, H5T_order_t order) {
    text += name;
    add_number(text, size * 8);
    if (order == H5T_ORDER_LE) text += "le";
    if (order == H5T_ORDER_BE) text += "be";
}

void add_plain(std::string& text, const PlainType& type) {
    const char* integer = type.is_signed ? "int" : "uint";
    add_bits(text, type.kind == H5T_FLOAT ? "float" : integer, type.size, type.order);
}

void add_type(std::string& text, const Api& api, hid_t type, int depth);

void add_super_type(std::string& text, const Api& api, hid_t type, int depth) {
    const hid_t super = api.H5Tget_super(type);
    if (super < 0) {
        text += '?';
        return;
    }
    add_type(text, api, super, depth + 1);
    api.H5Tclose(super);
}

void add_compound(std::string& text, const Api& api, hid_t type, int depth) {
    text += "compound{";
    const int members = api.H5Tget_nmembers(type);
    for (int i = 0; i < std::min(members, kMostMembers); ++i) {
        const auto index = static_cast<unsigned>(i);
        char* name = api.H5Tget_member_name(type, index);
        const hid_t member = api.H5Tget_member_type(type, index);
        if (i > 0) text += ", ";
        text += name != nullptr ? name : "?";
        text += ": ";
        if (member >= 0) {
            add_type(text, api, member, depth + 1);
            api.H5Tclose(member);
        } else {
            text += '?';
        }
        if (name != nullptr) api.H5free_memory(name);
    }
    text += members > kMostMembers ? ", ...}" : "}";
}

void add_array(std::string& text, const Api& api, hid_t type, int depth) {
    text += "array";
    std::array<hsize_t, H5S_MAX_RANK> dimensions;
    const int rank = api.H5Tget_array_ndims(type);
    if (rank < 0 || api.H5Tget_array_dims2(type, dimensions.data()) < 0) return;
    add_numbers(text, std::span(dimensions).first(static_cast<size_t>(rank)));
    text += " of ";
    add_super_type(text, api, type, depth);
}

void add_bytes(std::string& text, const char* name, const Api& api, hid_t type) {
    text += name;
    add_numbers(text, std::array<hsize_t, 1>{api.H5Tget_size(type)});
}

void add_type(std::string& text, const Api& api, hid_t type, int depth) {
    if (depth > kDeepest) {
        text += "...";
        return;
    }
    if (const auto plain = plain_type_of(api, type)) return add_plain(text, *plain);
    switch (api.H5Tget_class(type)) {
        case H5T_STRING:
            if (api.H5Tis_variable_str(type) > 0) {
                text += "string";
            } else {
                add_bytes(text, "string", api, type);
            }
            break;
        case H5T_BITFIELD:
            add_bits(text, "bitfield", api.H5Tget_size(type), api.H5Tget_order(type));
            break;
        case H5T_OPAQUE:
            add_bytes(text, "opaque", api, type);
            break;
        case H5T_COMPOUND:
            add_compound(text, api, type, depth);
            break;
        case H5T_REFERENCE:
            add_bytes(text, "reference", api, type);
            break;
        case H5T_ENUM:
            text += "enum of ";
            add_super_type(text, api, type, depth);
            break;
        case H5T_VLEN:
            text += "variable-length of ";
            add_super_type(text, api, type, depth);
            break;
        case H5T_ARRAY:
            add_array(text, api, type, depth);
            break;
        default:
            add_bytes(text, "other", api, type);
    }
}

void add_filters(std::string& json, const Api& api, hid_t creation) {
    const int count = api.H5Pget_nfilters(creation);
    if (count <= 0) return;
    json += ",\"filters\":[";
    for (int i = 0; i < count; ++i) {
        unsigned flags = 0;
        std::array<unsigned, 32> values{};
        size_t size = values.size();
        std::array<char, 64> name{};
        unsigned configuration = 0;
        const H5Z_filter_t filter =
            api.H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &size, values.data(),
                               name.size() - 1, name.data(), &configuration);
        json += i > 0 ? ",{\"id\":" : "{\"id\":";
        json += std::to_string(filter);
        json += ",\"name\":";
        json += json_quoted(name.data());
        json += ",\"values\":";
        const auto used = std::span(values).first(std::min(size, values.size()));
        add_numbers(json, std::vector<hsize_t>(used.begin(), used.end()));
        json += '}';
    }
    json += ']';
}

void add_external(std::string& json, const Api& api, hid_t creation) {
    const int count = std::min(api.H5Pget_external_count(creation), kMostFiles);
    if (count <= 0) return;
    json += ",\"external\":[";
    for (int i = 0; i < count; ++i) {
        std::array<char, 4096> name{};
        off_t offset = 0;
        hsize_t size = 0;
        api.H5Pget_external(creation, static_cast<unsigned>(i), name.size() - 1, name.data(),
                            &offset, &size);
        json += i > 0 ? ",{\"file\":" : "{\"file\":";
        json += json_quoted(name.data());
        json += ",\"offset\":" + std::to_string(offset);
        json += ",\"size\":" + (size == H5F_UNLIMITED ? "null" : std::to_string(size)) + "}";
    }
    json += ']';
}

void add_sources(std::string& json, const Api& api, hid_t creation) {
    size_t all = 0;
    if (api.H5Pget_virtual_count(creation, &all) < 0) return;
    json += ",\"sources\":[";
    for (size_t i = 0; i < std::min<size_t>(all, kMostFiles); ++i) {
        std::array<char, 4096> file{};
        std::array<char, 4096> dataset{};
        api.H5Pget_virtual_filename(creation, i, file.data(), file.size());
        api.H5Pget_virtual_dsetname(creation, i, dataset.data(), dataset.size());
        json += i > 0 ? ",{\"file\":" : "{\"file\":";
        json += json_quoted(file.data());
        json += ",\"dataset\":" + json_quoted(dataset.data()) + "}";
    }
    json += "],\"source_count\":";
    add_number(json, all);
}

void add_layout(std::string& json, const Api& api, hid_t creation) {
    switch (api.H5Pget_layout(creation)) {
        case H5D_COMPACT:
            json += ",\"layout\":\"compact\"";
            break;
        case H5D_CONTIGUOUS:
            json += ",\"layout\":\"contiguous\"";
            add_external(json, api, creation);
            break;
        case H5D_CHUNKED: {
            std::array<hsize_t, H5S_MAX_RANK> chunk;
            const int rank = api.H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data());
            json += ",\"layout\":\"chunked\",\"chunks\":";
            add_numbers(json, std::span(chunk).first(static_cast<size_t>(std::max(rank, 0))));
            add_filters(json, api, creation);
            break;
        }
        case H5D_VIRTUAL:
            json += ",\"layout\":\"virtual\"";
            add_sources(json, api, creation);
            break;
        default:
            break;
    }
}

// Whether HDF5 writes the fill value wherever it makes room.
void add_fill(std::string& json, const Api& api, hid_t creation) {
    H5D_fill_time_t time{};
    H5D_fill_value_t defined{};
    const bool is_known = api.H5Pget_fill_time(creation, &time) >= 0 &&
                          api.H5Pfill_value_defined(creation, &defined) >= 0;
    const bool is_written =
        is_known && (time == H5D_FILL_TIME_ALLOC ||
                     (time == H5D_FILL_TIME_IFSET && defined == H5D_FILL_VALUE_USER_DEFINED));
    if (is_written) json += ",\"filled\":true";
}

}  // namespace

uint64_t Shape::elements() const {
    uint64_t product = rank < 0 ? 0 : 1;
    for (int i = 0; i < rank; ++i) product *= now[static_cast<size_t>(i)];
    return product;
}

std::optional<PlainType> plain_type_of(const Api& api, hid_t type) {
    const H5T_class_t kind = api.H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) return std::nullopt;
    const bool is_signed = kind == H5T_INTEGER && api.H5Tget_sign(type) != H5T_SGN_NONE;
    return PlainType{kind, is_signed, api.H5Tget_order(type), api.H5Tget_size(type)};
}

void read_shape(const Api& api, hid_t space, Shape& shape) {
    shape.rank = api.H5Sget_simple_extent_dims(space, shape.now.data(), shape.most.data());
    // A single value has no dimensions either.
    if (shape.rank == 0 && api.H5Sget_simple_extent_type(space) == H5S_NULL) shape.rank = -1;
}

namespace {

std::string type_and_size(const std::string& text, size_t size) {
    std::string json = "\"type\":" + json_quoted(text) + ",\"size\":";
    add_number(json, size);
    return json;
}

}  // namespace

// "int32le", "compound{time: float64le, name: string[8]}" ...
std::string describe_type(const Api& api, hid_t type) {
    std::string text;
    add_type(text, api, type, 0);
    return type_and_size(text, api.H5Tget_size(type));
}

std::string describe_type(const PlainType& type) {
    std::string text;
    add_plain(text, type);
    return type_and_size(text, type.size);
}

std::string describe_shape(const Shape& shape) {
    if (shape.rank < 0) return ",\"shape\":null";
    const auto rank = static_cast<size_t>(shape.rank);
    std::string json = ",\"shape\":";
    add_numbers(json, std::span(shape.now).first(rank));
    json += ",\"max\":";
    add_numbers(json, std::span(shape.most).first(rank));
    return json;
}

std::string describe_layout(const Api& api, hid_t creation_list) {
    std::string json;
    add_layout(json, api, creation_list);
    add_fill(json, api, creation_list);
    return json;
}

std::string describe_dataset(const std::string& type, const std::string& shape,
                             const std::string& layout) {
    return "{" + type + shape + layout + "}";
}

}  // namespace quarry::hdf5
