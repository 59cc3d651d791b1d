// Which elements of which other datasets an access to a virtual dataset leads to.
#pragma once

#include <string>
#include <vector>

#include "hdf5/api.hpp"
#include "model/selection.hpp"

namespace quarry::hdf5 {

struct SourceAccess {
    std::string file;  // as the mapping names it; "." is the virtual dataset's own
    std::string dataset;
    Selection selection;
    uint64_t elements = 0;
    bool at_most = false;  // the selection is not known; it can only be a part of the dataset
    bool linear = false;   // it is of elements in the order in which they are stored
};

// Names with %b stand for one dataset per block of the virtual selection.
bool names_blocks(const std::string& name);

// That of a source, with or without %b: HDF5 writes % as %% in all of them.
std::string name_of_block(const std::string& name, hsize_t block);

// `creation` has the mappings, `accessed` the selection, in a space of the dataset's present shape.
// Enters HDF5's API. May throw std::bad_alloc.
std::vector<SourceAccess> sources_of(const Api& api, hid_t creation, hid_t accessed);

}  // namespace quarry::hdf5
