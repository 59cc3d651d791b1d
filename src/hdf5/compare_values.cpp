#include "hdf5/compare_values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "hdf5/data_parts.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

template <typename Value>
Value value_at(const std::byte* place) {
    Value value{};
    std::memcpy(&value, place, sizeof value);
    return value;
}

ValueShape shape_of_reference(hid_t type) {
    using Kind = ValueShape::Kind;
    const size_t size = H5Tget_size(type);
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0) return {Kind::Address, size, {}};
    if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0) return {Kind::OldRegion, size, {}};
    return {Kind::Reference, size, {}};
}

ValueShape shape_of_compound(hid_t type) {
    ValueShape shape{ValueShape::Kind::Compound, H5Tget_size(type), {}};
    const int members = H5Tget_nmembers(type);
    for (int i = 0; i < members; ++i) {
        const auto number = static_cast<unsigned>(i);
        const Handle member(H5Tget_member_type(type, number), H5Tclose);
        shape.parts.push_back({H5Tget_member_offset(type, number), shape_of(member)});
    }
    return shape;
}

bool are_same_texts(const char* old, const char* copy) {
    if (old == nullptr || copy == nullptr) return old == copy;
    return std::strcmp(old, copy) == 0;
}

// In spaces of the same shape.
bool select_the_same(hid_t old, hid_t copy) {
    if (H5Sextent_equal(old, copy) <= 0) return false;
    const hssize_t elements = H5Sget_select_npoints(old);
    if (elements != H5Sget_select_npoints(copy)) return false;
    if (elements <= 0) return true;
    std::array<hsize_t, H5S_MAX_RANK> old_first{}, old_last{}, first{}, last{};
    H5Sget_select_bounds(old, old_first.data(), old_last.data());
    H5Sget_select_bounds(copy, first.data(), last.data());
    return old_first == first && old_last == last && H5Sselect_shape_same(old, copy) > 0;
}

// What is there at an address; nothing where there is no object.
std::optional<Token> object_at(const Side& side, hobj_ref_t address) {
    H5O_token_t place{};
    if (H5VLnative_addr_to_token(side.file, address, &place) >= 0 &&
        side.objects.find(token_of(place)) != nullptr)
        return token_of(place);
    const Handle object(H5Rdereference2(side.file, H5P_DEFAULT, H5R_OBJECT1, &address), H5Oclose);
    return object < 0 ? std::nullopt : std::optional(token_of_object(object));
}

bool is_of_new_kind(const H5R_ref_t& reference) {
    const H5R_type_t kind = H5Rget_type(&reference);
    return kind == H5R_OBJECT2 || kind == H5R_DATASET_REGION2 || kind == H5R_ATTR;
}

Handle opened(H5R_ref_t& reference) {
    const bool can_be = is_of_new_kind(reference);
    return {can_be ? H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID,
            H5Oclose};
}

// Those that name an attribute or a region, of one object.
bool have_same_details(H5R_ref_t& old, H5R_ref_t& copy) {
    if (H5Rget_type(&old) == H5R_ATTR) return attribute_named_by(old) == attribute_named_by(copy);
    if (H5Rget_type(&old) != H5R_DATASET_REGION2) return true;
    const Handle old_region(H5Ropen_region(&old, H5P_DEFAULT, H5P_DEFAULT), H5Sclose);
    const Handle region(H5Ropen_region(&copy, H5P_DEFAULT, H5P_DEFAULT), H5Sclose);
    if (old_region < 0 || region < 0) return old_region < 0 && region < 0;
    return select_the_same(old_region, region);
}

}  // namespace

ValueShape shape_of(hid_t type) {
    using Kind = ValueShape::Kind;
    const size_t size = H5Tget_size(type);
    if (!has_variable_length(type) && !has_references(type)) return {Kind::Bytes, size, {}};
    switch (H5Tget_class(type)) {
        case H5T_REFERENCE:
            return shape_of_reference(type);
        case H5T_COMPOUND:
            return shape_of_compound(type);
        case H5T_VLEN:
        case H5T_ARRAY: {
            const Handle element(H5Tget_super(type), H5Tclose);
            const bool is_sequence = H5Tget_class(type) == H5T_VLEN;
            return {is_sequence ? Kind::Sequence : Kind::Repeated, size, {{0, shape_of(element)}}};
        }
        default:
            return {Kind::Text, size, {}};
    }
}

std::optional<Token> object_behind(const Side& side, const std::byte* value,
                                   const ValueShape& shape) {
    if (shape.kind == ValueShape::Kind::Address)
        return object_at(side, value_at<hobj_ref_t>(value));
    if (shape.kind != ValueShape::Kind::Reference) return std::nullopt;
    auto reference = value_at<H5R_ref_t>(value);
    const Handle object = opened(reference);
    return object < 0 ? std::nullopt : std::optional(token_of_object(object));
}

std::optional<size_t> ValueComparison::first_difference(const std::byte* old, const std::byte* copy,
                                                        size_t count,
                                                        const ValueShape& shape) const {
    if (shape.kind == ValueShape::Kind::Bytes &&
        (count == 0 || std::memcmp(old, copy, count * shape.size) == 0))
        return std::nullopt;
    for (size_t i = 0; i < count; ++i)
        if (!are_same(old + i * shape.size, copy + i * shape.size, shape)) return i;
    return std::nullopt;
}

std::optional<size_t> ValueComparison::first_difference(const Reading& old, const Reading& copy,
                                                        hid_t space,
                                                        const std::string& what) const {
    const size_t count = elements_in(space);
    Values old_values(old.type, space, count);
    Values copy_values(copy.type, space, count);
    checked(old.read(old_values.data()), what);
    old_values.are_filled();
    checked(copy.read(copy_values.data()), what);
    copy_values.are_filled();
    return first_difference(old_values.data(), copy_values.data(), count, shape_of(old.type));
}

bool ValueComparison::are_same(const std::byte* old, const std::byte* copy,
                               const ValueShape& shape) const {
    using Kind = ValueShape::Kind;
    switch (shape.kind) {
        case Kind::Bytes:
            return std::memcmp(old, copy, shape.size) == 0;
        case Kind::Text:
            return are_same_texts(value_at<const char*>(old), value_at<const char*>(copy));
        case Kind::Sequence:
            return are_same_sequences(old, copy, shape.parts.front().shape);
        case Kind::Repeated: {
            const ValueShape& element = shape.parts.front().shape;
            return !first_difference(old, copy, shape.size / element.size, element);
        }
        case Kind::Compound:
            return std::all_of(shape.parts.begin(), shape.parts.end(), [&](const auto& part) {
                return are_same(old + part.offset, copy + part.offset, part.shape);
            });
        case Kind::Address:
            return are_same_addresses(old, copy);
        case Kind::OldRegion:
            return are_same_old_regions(old, copy);
        case Kind::Reference:
            return are_same_references(old, copy);
    }
    return false;
}

bool ValueComparison::are_same_sequences(const std::byte* old, const std::byte* copy,
                                         const ValueShape& element) const {
    const auto first = value_at<hvl_t>(old);
    const auto second = value_at<hvl_t>(copy);
    return first.len == second.len &&
           !first_difference(static_cast<const std::byte*>(first.p),
                             static_cast<const std::byte*>(second.p), first.len, element);
}

bool ValueComparison::are_same_addresses(const std::byte* old, const std::byte* copy) const {
    const auto first = value_at<hobj_ref_t>(old);
    const auto second = value_at<hobj_ref_t>(copy);
    if (first == 0 || second == 0) return first == second;
    const auto object = object_at(old_, first);
    const auto object_of_copy = object_at(copy_, second);
    if (!object || !object_of_copy) return !object && !object_of_copy;
    return pairs_.copy_of(*object) == object_of_copy;
}

// One that led nowhere may lead to nothing in the copy.
bool ValueComparison::are_same_old_regions(const std::byte* old, const std::byte* copy) const {
    const auto first = value_at<hdset_reg_ref_t>(old);
    const auto second = value_at<hdset_reg_ref_t>(copy);
    constexpr hdset_reg_ref_t kNothing{};
    if (std::memcmp(&first, &kNothing, sizeof first) == 0)
        return std::memcmp(&second, &kNothing, sizeof second) == 0;
    const auto opened = [](hid_t file, const hdset_reg_ref_t& reference) {
        return Handle(H5Rdereference2(file, H5P_DEFAULT, H5R_DATASET_REGION1, &reference),
                      H5Oclose);
    };
    const Handle object = opened(old_.file, first);
    const Handle object_of_copy = opened(copy_.file, second);
    if (object < 0 || object_of_copy < 0) return object < 0 && object_of_copy < 0;
    if (!is_pair(object, object_of_copy)) return false;
    const Handle region(H5Rget_region(old_.file, H5R_DATASET_REGION1, &first), H5Sclose);
    const Handle region_of_copy(H5Rget_region(copy_.file, H5R_DATASET_REGION1, &second), H5Sclose);
    return region >= 0 && region_of_copy >= 0 && select_the_same(region, region_of_copy);
}

bool ValueComparison::are_same_references(const std::byte* old, const std::byte* copy) const {
    auto first = value_at<H5R_ref_t>(old);
    auto second = value_at<H5R_ref_t>(copy);
    const bool leads = is_of_new_kind(first);
    const bool leads_in_copy = is_of_new_kind(second);
    if (leads && !is_of(old_.file, first))
        return leads_in_copy && H5Requal(&first, &second) > 0 && have_same_details(first, second);
    const Handle object = opened(first);
    const Handle object_of_copy = opened(second);
    if (object < 0 || object_of_copy < 0)
        return object < 0 && object_of_copy < 0 && (leads || !leads_in_copy);
    return H5Rget_type(&first) == H5Rget_type(&second) && is_pair(object, object_of_copy) &&
           have_same_details(first, second);
}

bool ValueComparison::is_pair(hid_t old, hid_t copy) const {
    return pairs_.copy_of(token_of_object(old)) == token_of_object(copy);
}

}  // namespace quarry::hdf5
