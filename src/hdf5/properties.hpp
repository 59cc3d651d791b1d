// How things in a file are, as text: to be compared, and to be told.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

struct Property {
    std::string name;
    std::string text;

    bool operator==(const Property&) const = default;
};
using Properties = std::vector<Property>;

// Of an object of any kind.
Handle creation_list_of(hid_t object);

Properties file_properties(hid_t file);
Properties group_properties(hid_t creation_list);
Properties dataset_properties(hid_t creation_list);  // all but a fill value itself
Properties named_type_properties(hid_t creation_list);

Properties type_properties(hid_t type);
Properties space_properties(hid_t space);

// "3 x 4"
std::string shape_text(const std::vector<hsize_t>& shape);

}  // namespace quarry::hdf5
