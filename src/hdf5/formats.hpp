// Files, groups and headers of the same format as others.
#pragma once

#include <hdf5.h>

#include <string>

#include "hdf5/header_file.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

hsize_t user_block_of(hid_t file);  // its size
HeaderFormat header_format_of(hid_t file);

// How a group keeps its links and attributes.
void set_group_properties(hid_t group, hid_t creation);

// Those that keep their links as the oldest HDF5 did. So may some with newer headers.
bool is_old_group(hid_t object);

// Makes such a group, while it is empty, one that keeps its links in its header.
void renew_group(hid_t group);

// Of which version HDF5 makes headers in a file.
class HeaderVersion {
public:
    explicit HeaderVersion(hid_t file) : file_(file) {}

    // What is made next gets one of the same version as that of the old object.
    void choose_like(hid_t old);
    bool is_earliest() const { return low_ == H5F_LIBVER_EARLIEST; }

private:
    hid_t file_;
    H5F_libver_t low_ = H5F_LIBVER_ERROR;
};

// An empty file in the format of another one.
Handle make_like(hid_t from, const std::string& path);
Handle make_like_in_memory(hid_t from);

// Of two files that are not open for writing.
void copy_user_block(hsize_t size, const std::string& old_path, const std::string& new_path);

}  // namespace quarry::hdf5
