// Datasets whose data lies in other files, read where carving has put the copies of those.
#pragma once

#include <string>

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

// Two files of which one is the copy of the other, with what they need in the same places about
// them.
struct CopiedPlace {
    std::string original;
    std::string copy;
};

// The dataset of the copy, or one in memory that is like it, but whose names of other files lead to
// what is about the copy.
Handle relocated(hid_t dataset, const CopiedPlace& place);

}  // namespace quarry::hdf5
