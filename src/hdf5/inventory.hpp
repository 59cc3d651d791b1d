// What there is in a file, by its identity: hard links make circles, and many names for one object.
#pragma once

#include <hdf5.h>

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "hdf5/new_places.hpp"

namespace quarry::hdf5 {

struct Link {
    std::string name;
    H5L_info2_t info;
};

struct OldObject {
    H5O_type_t type = H5O_TYPE_UNKNOWN;  // where it cannot be opened
    uint32_t count = 0;                  // of what leads to it, as it says itself
    std::vector<std::string> paths;
    std::vector<Link>
        links;  // of a group: as they were made, where that is tracked, else as stored
};

class Inventory {
public:
    explicit Inventory(hid_t file);

    const OldObject* find(const Token& token) const;
    const OldObject& at(const Token& token) const { return objects_.at(token); }
    const std::vector<Token>& order() const { return order_; }  // in which they are met

private:
    void see(const H5O_info2_t& object, const std::string& path);
    void read(const Token& group);

    hid_t file_;
    std::unordered_map<Token, OldObject, TokenHash> objects_;
    std::vector<Token> order_;
    std::deque<Token> unread_;
};

// The path of what a link in a group leads to.
std::string joined(const std::string& group, const std::string& name);

}  // namespace quarry::hdf5
