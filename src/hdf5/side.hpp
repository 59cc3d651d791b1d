// One of two files that are compared.
#pragma once

#include "hdf5/inventory.hpp"

namespace quarry::hdf5 {

struct Side {
    explicit Side(hid_t opened) : file(opened), objects(opened) {}

    hid_t file;
    Inventory objects;
};

}  // namespace quarry::hdf5
