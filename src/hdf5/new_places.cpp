#include "hdf5/new_places.hpp"

#include <algorithm>
#include <cstring>

#include "hdf5/failure.hpp"
#include "hdf5/file_name.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

const std::string kWhat = "a reference cannot be renewed";

std::string file_of(const H5R_ref_t& reference) {
    const ssize_t size = checked(H5Rget_file_name(&reference, nullptr, 0), kWhat);
    std::string name(static_cast<size_t>(size), '\0');
    H5Rget_file_name(&reference, name.data(), name.size() + 1);
    return name;
}

// An address in the middle of all that there can be, where no file has anything: what has led
// nowhere must not lead anywhere.
hobj_ref_t nowhere_in(hid_t file) {
    const Handle creation(checked(H5Fget_create_plist(file), kWhat), H5Pclose);
    size_t address_size = 0;
    checked(H5Pget_sizes(creation, &address_size, nullptr), kWhat);
    return (hobj_ref_t{1} << (8 * std::min<size_t>(address_size, 8) - 1)) - 1;
}

}  // namespace

Token token_of(const H5O_token_t& token) {
    Token made;
    std::memcpy(made.data(), &token, made.size());
    return made;
}

H5O_token_t place_of(const Token& token) {
    H5O_token_t made;
    std::memcpy(&made, token.data(), token.size());
    return made;
}

Token token_of_object(hid_t object) {
    H5O_info2_t info{};
    checked(H5Oget_info3(object, &info, H5O_INFO_BASIC), kWhat);
    return token_of(info.token);
}

uint64_t address_of(hid_t file, const Token& token) {
    haddr_t address = 0;
    checked(H5VLnative_token_to_addr(file, place_of(token), &address),
            "the place of an object is not known");
    return address;
}

Handle object_at(hid_t file, const Token& token) {
    return {checked(H5Oopen_by_token(file, place_of(token)), "an object cannot be opened"),
            H5Oclose};
}

bool is_of(hid_t file, const H5R_ref_t& reference) {
    return file_of(reference) == file_name_of(file);
}

std::string attribute_named_by(const H5R_ref_t& reference) {
    const ssize_t size = checked(H5Rget_attr_name(&reference, nullptr, 0), kWhat);
    std::string name(static_cast<size_t>(size), '\0');
    H5Rget_attr_name(&reference, name.data(), name.size() + 1);
    return name;
}

OpenedCopy::OpenedCopy(hid_t file, const H5O_token_t& place)
    : object_(checked(H5Oopen_by_token(file, place), "a copy cannot be opened"), H5Oclose) {
    H5O_info2_t info{};
    checked(H5Oget_info3(object_, &info, H5O_INFO_TIME), "a copy cannot be read");
    clock_.emplace(info.ctime);
}

void NewPlaces::add(const Token& old_place, hid_t copy) {
    H5O_info2_t info{};
    checked(H5Oget_info3(copy, &info, H5O_INFO_BASIC), "a copy cannot be read");
    places_[old_place].token = info.token;
}

std::optional<H5O_token_t> NewPlaces::find(const Token& old_place) const {
    const auto found = places_.find(old_place);
    if (found == places_.end()) return std::nullopt;
    Place& place = found->second;
    if (!place.token) {
        H5O_info2_t info{};
        checked(H5Oget_info_by_name3(to_, place.path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT),
                "a copy cannot be found");
        place.token = info.token;
    }
    return place.token;
}

H5O_token_t NewPlaces::at(const Token& old_place) const {
    const auto place = find(old_place);
    if (!place) throw Failure("a copy is missing");
    return *place;
}

Handle NewPlaces::open_copy(const Token& old_place) const {
    return {checked(H5Oopen_by_token(to_, at(old_place)), "a copy cannot be opened"), H5Oclose};
}

std::optional<H5O_token_t> NewPlaces::place_of_target(hid_t object, Referred referred) const {
    if (object < 0) return std::nullopt;
    const Token target = token_of_object(object);
    if (referred != nullptr) referred->insert(target);
    return find(target);
}

void NewPlaces::renew(std::byte* values, size_t count, hid_t type, Referred referred) const {
    if (!has_references(type)) return;
    const H5T_class_t kind = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    for (size_t i = 0; i < count; ++i) renew_one(values + i * size, type, kind, referred);
}

void NewPlaces::renew_one(std::byte* value, hid_t type, H5T_class_t kind, Referred referred) const {
    if (kind == H5T_REFERENCE) {
        renew_reference(value, type, referred);
    } else if (kind == H5T_VLEN) {
        hvl_t sequence{};
        std::memcpy(&sequence, value, sizeof sequence);
        const Handle element(H5Tget_super(type), H5Tclose);
        renew(static_cast<std::byte*>(sequence.p), sequence.len, element, referred);
    } else if (kind == H5T_ARRAY) {
        const Handle element(H5Tget_super(type), H5Tclose);
        renew(value, H5Tget_size(type) / H5Tget_size(element), element, referred);
    } else if (kind == H5T_COMPOUND) {
        const int members = H5Tget_nmembers(type);
        for (int i = 0; i < members; ++i) {
            const auto number = static_cast<unsigned>(i);
            const Handle member(H5Tget_member_type(type, number), H5Tclose);
            renew(value + H5Tget_member_offset(type, number), 1, member, referred);
        }
    }
}

void NewPlaces::renew_reference(std::byte* value, hid_t type, Referred referred) const {
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0)
        renew_object_address(value, referred);
    else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0)
        renew_old_region(value, referred);
    else
        renew_new_kind(value, referred);
}

void NewPlaces::renew_object_address(std::byte* value, Referred referred) const {
    hobj_ref_t reference{};
    std::memcpy(&reference, value, sizeof reference);
    if (reference == 0) return;
    const Handle object(H5Rdereference2(from_, H5P_DEFAULT, H5R_OBJECT1, &reference), H5Oclose);
    const auto place = place_of_target(object, referred);
    if (place) {
        const OpenedCopy copy(to_, *place);
        checked(H5Rcreate(&reference, copy, ".", H5R_OBJECT1, -1), kWhat);
    } else {
        reference = nowhere_in(to_);
    }
    std::memcpy(value, &reference, sizeof reference);
}

void NewPlaces::renew_old_region(std::byte* value, Referred referred) const {
    hdset_reg_ref_t reference{};
    std::memcpy(&reference, value, sizeof reference);
    std::memset(value, 0, sizeof reference);
    constexpr hdset_reg_ref_t kNothing{};
    if (std::memcmp(&reference, &kNothing, sizeof reference) == 0) return;
    const Handle object(H5Rdereference2(from_, H5P_DEFAULT, H5R_DATASET_REGION1, &reference),
                        H5Oclose);
    const Handle region(H5Rget_region(from_, H5R_DATASET_REGION1, &reference), H5Sclose);
    if (object < 0 || region < 0) return;
    const auto place = place_of_target(object, referred);
    if (!place) return;
    const OpenedCopy copy(to_, *place);
    checked(H5Rcreate(&reference, copy, ".", H5R_DATASET_REGION1, region), kWhat);
    std::memcpy(value, &reference, sizeof reference);
}

void NewPlaces::renew_new_kind(std::byte* value, Referred referred) const {
    H5R_ref_t reference{};
    std::memcpy(&reference, value, sizeof reference);
    const H5R_type_t kind = H5Rget_type(&reference);
    if (kind != H5R_OBJECT2 && kind != H5R_DATASET_REGION2 && kind != H5R_ATTR) return;
    if (!is_of(from_, reference)) {
        // HDF5 can write it once the other file is open.
        const Handle elsewhere(H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT), H5Oclose);
        std::memcpy(value, &reference, sizeof reference);
        return;
    }
    const Handle object(H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT), H5Oclose);
    const auto place = place_of_target(object, referred);
    H5R_ref_t renewed{};
    if (place) {
        const OpenedCopy copy(to_, *place);
        if (kind == H5R_OBJECT2) {
            checked(H5Rcreate_object(copy, ".", H5P_DEFAULT, &renewed), kWhat);
        } else if (kind == H5R_DATASET_REGION2) {
            const Handle region(H5Ropen_region(&reference, H5P_DEFAULT, H5P_DEFAULT), H5Sclose);
            checked(H5Rcreate_region(copy, ".", region, H5P_DEFAULT, &renewed), kWhat);
        } else {
            const std::string name = attribute_named_by(reference);
            checked(H5Rcreate_attr(copy, ".", name.c_str(), H5P_DEFAULT, &renewed), kWhat);
        }
    }
    H5Rdestroy(&reference);
    std::memcpy(value, &renewed, sizeof renewed);
}

}  // namespace quarry::hdf5
