// Room in the header of an object, for what is put there when something else lies behind it
// already.
#pragma once

#include <hdf5.h>

#include <vector>

#include "hdf5/inventory.hpp"

namespace quarry::hdf5 {

// What the parts of an attribute take.
struct AttributeSizes {
    size_t name;
    size_t type;
    size_t space;
    size_t value;
};

// At most, in whatever version HDF5 may write it.
size_t room_for_attribute(const AttributeSizes& sizes);

// All attributes of an object, where they lie in its header.
struct HeaderAttributes {
    size_t count = 0;
    size_t room = 0;  // for all of them in another
};

// How much the attributes and links of an object may take of the header of its copy; nothing where
// their order does not depend on it. `creation` is what it was made with.
size_t room_needed(hid_t object, hid_t creation, const std::vector<Link>& links);
// The same for an object without links of whose header more is known.
size_t room_needed(const HeaderAttributes& attributes, hid_t creation);

void reserve_room(hid_t object, size_t size);
void give_room_back(hid_t object);

// Of which all but the first are somewhere else in the file.
unsigned pieces_of_header(hid_t object);

}  // namespace quarry::hdf5
