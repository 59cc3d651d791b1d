#include <array>

#include "base/text.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/properties.hpp"

namespace quarry::hdf5 {
namespace {

const std::string kWhat = "its type cannot be read";

// A text that HDF5 has made for us.
std::string taken(char* text) {
    std::string copy = text != nullptr ? text : "";
    H5free_memory(text);
    return copy;
}

// In quotes, as it may hold whatever stands around it in a text.
std::string member_name(hid_t type, unsigned number) {
    return shell_quoted(taken(H5Tget_member_name(type, number)));
}

std::string padding_text(H5T_pad_t pad) {
    constexpr std::array kNames{"zeros", "ones", "background"};
    return pad >= 0 && pad < H5T_NPAD ? kNames.at(static_cast<size_t>(pad)) : "unknown";
}

std::string byte_order_text(H5T_order_t order) {
    if (order == H5T_ORDER_LE) return "little-endian";
    if (order == H5T_ORDER_BE) return "big-endian";
    return order == H5T_ORDER_VAX ? "VAX order" : "no order";
}

// Of what consists of bits.
std::string bits_text(hid_t type) {
    const size_t precision = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);
    std::string text =
        std::to_string(H5Tget_size(type)) + " bytes, " + byte_order_text(H5Tget_order(type));
    if (precision == 8 * H5Tget_size(type) && offset == 0) return text;
    H5T_pad_t low{}, high{};
    H5Tget_pad(type, &low, &high);
    return text + ", " + std::to_string(precision) + " bits from " + std::to_string(offset) +
           ", padded with " + padding_text(low) + " and " + padding_text(high);
}

std::string float_text(hid_t type) {
    size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
    checked(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits),
            kWhat);
    return "floating point, " + bits_text(type) + ", sign " + std::to_string(sign) + ", exponent " +
           std::to_string(exponent) + "+" + std::to_string(exponent_bits) + " less " +
           std::to_string(H5Tget_ebias(type)) + ", mantissa " + std::to_string(mantissa) + "+" +
           std::to_string(mantissa_bits) + ", norm " + std::to_string(H5Tget_norm(type)) + ", " +
           padding_text(H5Tget_inpad(type)) + " inside";
}

std::string string_text(hid_t type) {
    const bool is_variable = H5Tis_variable_str(type) > 0;
    const H5T_str_t padding = H5Tget_strpad(type);
    constexpr std::array kNames{"ended by null", "padded with nulls", "padded with spaces"};
    return (is_variable ? "string of any length"
                        : "string of " + std::to_string(H5Tget_size(type)) + " bytes") +
           (H5Tget_cset(type) == H5T_CSET_UTF8 ? ", UTF-8, " : ", ASCII, ") +
           (padding >= 0 && padding <= H5T_STR_SPACEPAD ? kNames.at(static_cast<size_t>(padding))
                                                        : "padded unknown");
}

std::string atomic_text(hid_t type, H5T_class_t kind) {
    switch (kind) {
        case H5T_INTEGER:
            return (H5Tget_sign(type) == H5T_SGN_NONE ? "unsigned integer, " : "integer, ") +
                   bits_text(type);
        case H5T_FLOAT:
            return float_text(type);
        case H5T_STRING:
            return string_text(type);
        case H5T_BITFIELD:
            return "bits, " + bits_text(type);
        case H5T_TIME:
            return "time, " + bits_text(type);
        case H5T_OPAQUE:
            return "opaque, " + std::to_string(H5Tget_size(type)) + " bytes, tagged \"" +
                   taken(H5Tget_tag(type)) + "\"";
        case H5T_REFERENCE:
            // Each kind of them has its size.
            return "reference of " + std::to_string(H5Tget_size(type)) + " bytes";
        default:
            return "class " + std::to_string(kind);
    }
}

void add_type(hid_t type, const std::string& name, Properties& to);

void add_enumeration(hid_t type, const std::string& name, Properties& to) {
    const Handle base(checked(H5Tget_super(type), kWhat), H5Tclose);
    add_type(base, name + ", values", to);
    const int members = H5Tget_nmembers(type);
    std::string text;
    std::vector<unsigned char> value(H5Tget_size(type));
    for (int i = 0; i < members; ++i) {
        const auto number = static_cast<unsigned>(i);
        checked(H5Tget_member_value(type, number, value.data()), kWhat);
        text += (i > 0 ? ", " : "") + member_name(type, number) + " =";
        for (const unsigned char byte : value) text += " " + std::to_string(byte);
    }
    to.push_back({name + ", members", text});
}

void add_compound(hid_t type, const std::string& name, Properties& to) {
    const int members = H5Tget_nmembers(type);
    std::string names;
    for (int i = 0; i < members; ++i) {
        const auto number = static_cast<unsigned>(i);
        const std::string its_name = member_name(type, number);
        const std::string whole_name = name + ", member " + its_name;
        const Handle member(checked(H5Tget_member_type(type, number), kWhat), H5Tclose);
        to.push_back({whole_name + ", offset", std::to_string(H5Tget_member_offset(type, number))});
        add_type(member, whole_name, to);
        names += (i > 0 ? ", " : "") + its_name;
    }
    to.push_back({name + ", members", names});
}

void add_array(hid_t type, const std::string& name, Properties& to) {
    std::vector<hsize_t> shape(static_cast<size_t>(checked(H5Tget_array_ndims(type), kWhat)));
    checked(H5Tget_array_dims2(type, shape.data()), kWhat);
    to.push_back({name + ", shape", shape_text(shape)});
}

void add_type(hid_t type, const std::string& name, Properties& to) {
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_ENUM) {
        to.push_back({name, "enumeration"});
        add_enumeration(type, name, to);
    } else if (kind == H5T_COMPOUND) {
        to.push_back({name, "compound of " + std::to_string(H5Tget_size(type)) + " bytes"});
        add_compound(type, name, to);
    } else if (kind == H5T_ARRAY || kind == H5T_VLEN) {
        to.push_back({name, kind == H5T_ARRAY ? "array" : "sequence of any length"});
        if (kind == H5T_ARRAY) add_array(type, name, to);
        const Handle element(checked(H5Tget_super(type), kWhat), H5Tclose);
        add_type(element, name + ", element", to);
    } else {
        to.push_back({name, atomic_text(type, kind)});
    }
}

}  // namespace

Properties type_properties(hid_t type) {
    Properties found;
    add_type(type, "type", found);
    return found;
}

}  // namespace quarry::hdf5
