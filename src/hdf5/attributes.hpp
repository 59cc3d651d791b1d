// The attributes of an object, in the order in which programs are told of them.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace quarry::hdf5 {

struct Attribute {
    std::string name;
    H5A_info_t info;
};

// As they were made, where that is tracked, else as they are stored.
std::vector<Attribute> attributes_of(hid_t object);
// The same for whoever has the object's creation list at hand.
std::vector<Attribute> attributes_of(hid_t object, hid_t creation_list);

}  // namespace quarry::hdf5
