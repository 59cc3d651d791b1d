// What a dataspace selects, as a value.
#pragma once

#include "hdf5/api.hpp"
#include "model/selection.hpp"

namespace quarry::hdf5 {

// `id` is what a read or write was given: H5S_ALL stands for the whole dataset; `rank` is that
// of the dataset, negative if it must be asked for. May enter HDF5's API, which clears its errors.
// May throw std::bad_alloc: any number of points may be selected.
Selection selection_of(const Api& api, hid_t id, int rank = -1);

}  // namespace quarry::hdf5
