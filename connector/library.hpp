// One HDF5 library in this process that has asked for the connector, and what belongs to it.
#pragma once

#include <atomic>

#include "connector/under.hpp"
#include "hdf5/api.hpp"

namespace quarry::connector {

struct NamedUnder;

// h5py and netCDF4 wheels carry different HDF5 libraries and meet in one process, with one copy of
// this plugin. Callbacks without an object (open, create, ...) learn whom they serve from a slot
// number that is part of their type; eight is four times what was ever seen.
constexpr int kLibraries = 8;

struct Library {
    hdf5::Api api;
    H5VL_class_t connector{};
    Under native;
    NamedUnder* named_unders = nullptr;
    std::atomic<int> infos{0};           // connector infos alive: somebody has chosen Quarry knowingly
    bool is_default = false;             // HDF5_VOL_CONNECTOR named Quarry when it was loaded
    bool follows_external_links = false;  // see external_link.hpp
};

// The slot of the library that `caller` lies in, bound on first sight. Null when that is not possible.
Library* library_of_caller(const void* caller) noexcept;

Library& library_in_slot(int slot) noexcept;

// Keeps HDF5's error stack and errno as they are while Quarry cleans up after a failed call:
// entering HDF5's API clears the stack.
class KeepErrors {
public:
    explicit KeepErrors(const hdf5::Api& api) noexcept;
    ~KeepErrors();
    KeepErrors(const KeepErrors&) = delete;
    KeepErrors& operator=(const KeepErrors&) = delete;

private:
    const hdf5::Api& api_;
    hid_t stack_;
    int errno_;
};

}  // namespace quarry::connector
