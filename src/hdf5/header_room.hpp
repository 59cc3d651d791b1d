// Room in the header of an object, for what is put there when something else lies behind it
// already.
#pragma once

#include <hdf5.h>

#include <vector>

#include "hdf5/inventory.hpp"

namespace quarry::hdf5 {

// How much the attributes and links of an object may take of the header of its copy; nothing where
// their order does not depend on it. `creation` is what it was made with.
size_t room_needed(hid_t object, hid_t creation, const std::vector<Link>& links);

void reserve_room(hid_t object, size_t size);
void give_room_back(hid_t object);

// Of which all but the first are somewhere else in the file.
unsigned pieces_of_header(hid_t object);

}  // namespace quarry::hdf5
