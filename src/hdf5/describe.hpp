// A dataset's type, shape, layout and filters, as a trace keeps them.
#pragma once

#include <string>

#include "hdf5/api.hpp"

namespace quarry::hdf5 {

struct DatasetIds {
    hid_t type = -1;
    hid_t space = -1;
    hid_t creation = -1;  // where there is none, data that lies in one piece and will not be filled
};

// JSON, as docs/formats/trace.md has it. Enters HDF5's API; may throw std::bad_alloc.
std::string describe_dataset(const Api& api, const DatasetIds& dataset);

}  // namespace quarry::hdf5
