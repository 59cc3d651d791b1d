// What kinds of values a type is made of, however deep.
#pragma once

#include <hdf5.h>

namespace quarry::hdf5 {

// Strings and sequences of any length: what lies in the dataset says only where they are.
bool has_variable_length(hid_t type);

inline bool has_references(hid_t type) {
    return H5Tdetect_class(type, H5T_REFERENCE) > 0;
}

}  // namespace quarry::hdf5
