// Everything that can be asked about a file, into the transcript.
#pragma once

#include <hdf5.h>

#include <string>

namespace scenario {

// Links, objects, attributes, types, layouts, filters and data below a place.
void describe(hid_t place);

std::string type_text(hid_t type);
std::string space_text(hid_t space);

// The values of a buffer of `count` elements, variable-length ones followed into memory.
std::string values_text(hid_t type, const void* buffer, size_t count);

}  // namespace scenario
