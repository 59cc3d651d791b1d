// The filters that a dataset has, or will have.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace quarry::hdf5 {

struct Filter {
    H5Z_filter_t id;
    unsigned flags;
    std::vector<unsigned> values;
    std::string name;
};

std::vector<Filter> filters_of(hid_t creation_list);

}  // namespace quarry::hdf5
