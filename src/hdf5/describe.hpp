// A dataset's type, shape, layout and filters, as a trace keeps them.
#pragma once

#include <string>

#include "hdf5/api.hpp"

namespace quarry::hdf5 {

// The three that tell it all, as the connector below has given them.
struct DatasetIds {
    hid_t type = -1;
    hid_t space = -1;
    hid_t creation = -1;
};

// JSON, as docs/formats/trace.md has it. Enters HDF5's API; may throw std::bad_alloc.
std::string describe_dataset(const Api& api, const DatasetIds& dataset);

// "int32le", "compound{time: float64le, name: string[8]}" ...
std::string describe_type(const Api& api, hid_t type);

}  // namespace quarry::hdf5
