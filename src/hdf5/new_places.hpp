// Where the objects of a file are in its copy, and values that point at them.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "hdf5/object_clock.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

// The identity of an object in its file.
using Token = std::array<uint8_t, H5O_MAX_TOKEN_SIZE>;
Token token_of(const H5O_token_t& token);
H5O_token_t place_of(const Token& token);

// They are addresses, or begin with one.
struct TokenHash {
    size_t operator()(const Token& token) const {
        size_t first = 0;
        std::memcpy(&first, token.data(), sizeof first);
        return first * 0x9e3779b97f4a7c15;
    }
};
Token token_of_object(hid_t object);
uint64_t address_of(hid_t file, const Token& token);
Handle object_at(hid_t file, const Token& token);

// Whether it leads into this file; others lead to the same file as before.
bool is_of(hid_t file, const H5R_ref_t& reference);
std::string attribute_named_by(const H5R_ref_t& reference);

// An object of the copy that is opened only to lead to it. HDF5 writes the header of a compact
// dataset that it has copied once more when it is closed first, and would note that it was changed
// then.
class OpenedCopy {
public:
    OpenedCopy(hid_t file, const H5O_token_t& place);
    operator hid_t() const { return object_; }

private:
    std::optional<ObjectClock> clock_;  // lives longer than what is opened
    Handle object_;
};

class NewPlaces {
public:
    NewPlaces(hid_t from, hid_t to) : from_(from), to_(to) {}

    void add(const Token& old_place, hid_t copy);
    // Asked for only if somebody wants to know.
    void add_path(const Token& old_place, const std::string& path) {
        places_[old_place].path = path;
    }
    bool contains(const Token& old_place) const { return places_.contains(old_place); }
    std::optional<H5O_token_t> find(const Token& old_place) const;
    H5O_token_t at(const Token& old_place) const;
    Handle open_copy(const Token& old_place) const;

    // Makes all references in a buffer, as it was read from the old file, point into the new one.
    // Those to nothing become null, or the address of an object where no file has any. `type` is
    // that of one value. `referred` gets what they point at, unless nobody wants to know.
    void renew(std::byte* values, size_t count, hid_t type, std::set<Token>* referred) const;

private:
    using Referred = std::set<Token>*;
    void renew_one(std::byte* value, hid_t type, H5T_class_t kind, Referred referred) const;
    void renew_reference(std::byte* value, hid_t type, Referred referred) const;
    void renew_object_address(std::byte* value, Referred referred) const;
    void renew_old_region(std::byte* value, Referred referred) const;
    void renew_new_kind(std::byte* value, Referred referred) const;
    std::optional<H5O_token_t> place_of_target(hid_t object, Referred referred) const;

    hid_t from_;
    hid_t to_;
    struct Place {
        std::optional<H5O_token_t> token;
        std::string path;
    };
    mutable std::unordered_map<Token, Place, TokenHash> places_;
};

}  // namespace quarry::hdf5
