// Which other datasets say where and when the values of a dataset are.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace quarry::hdf5 {

// Names by the conventions for climate data: the words of the attribute `coordinates`.
std::vector<std::string> coordinates_of(hid_t dataset);

}  // namespace quarry::hdf5
