// Data that datasets have in other files, or elsewhere in their own.
#pragma once

#include <string>
#include <vector>

namespace quarry::hdf5 {

struct NeededData {
    std::string file;     // as the dataset names it; "." is its own
    std::string dataset;  // the source of a virtual one; empty for bytes of the file
};

struct Sources {
    std::vector<NeededData> known;
    // A virtual dataset that this HDF5 does not understand, as one that a newer one has written:
    // its path. Empty if there is none.
    std::string unknown_of;
};

// Of all virtual datasets in the file, as far as HDF5 gets through it.
Sources sources_in(const std::string& file);

}  // namespace quarry::hdf5
