// The names of other files that a dataset has its data in.
#pragma once

#include <string>
#include <vector>

#include "hdf5/needed_data.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

struct ExternalFile {
    std::string name;
    off_t offset;
    hsize_t size;
};

struct VirtualMapping {
    std::string file;
    std::string dataset;
    Handle here;
    Handle there;
};

// All of them.
std::vector<NeededData> needed_by(hid_t dataset);

// Of the creation list of a dataset.
std::vector<ExternalFile> external_files_of(hid_t list);
std::vector<VirtualMapping> mappings_of(hid_t list);

}  // namespace quarry::hdf5
