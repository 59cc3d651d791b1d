// Values of datasets and attributes, moved from one file into another.
#pragma once

#include <hdf5.h>

#include <functional>
#include <string>

#include "hdf5/new_places.hpp"

namespace quarry::hdf5 {

// The type to make something with that was of type `old`: the same, and shared where that was.
using TypeInCopy = std::function<hid_t(hid_t old)>;

// All attributes of an object in which nothing refers to anything, into one that was made like it.
void copy_attributes(hid_t from, hid_t creation_list, hid_t to, const TypeInCopy& type_in_copy);

// Of others: all attributes, without their values. Just after the object itself: whatever is made
// in between may get into the way of its header, and their order is where they lie in it.
void make_attributes(hid_t from, hid_t to, const TypeInCopy& type_in_copy);

// The values of attributes that were made. `referred` gets the objects that they point at; not
// those by which axes and their scales know each other.
void fill_attributes(hid_t from, hid_t to, const NewPlaces& places, std::set<Token>& referred);

// The values of a dataset, into one that was made like it. As they are stored, where their bytes
// mean the same in every file, else decoded.
void copy_data(hid_t from, hid_t to, const NewPlaces& places, std::set<Token>& referred);

}  // namespace quarry::hdf5
