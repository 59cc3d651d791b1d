// What a file-access list carries about its driver: the caller's choice, and ours around it.
#pragma once

#include <atomic>

#include "connector/info.hpp"

namespace quarry::connector {

// How HDF5 keeps a driver on an access list: the value of one property. The struct is not in the
// public headers, but this is the only way to get at a driver's info together with its
// configuration string, and without an error on HDF5's stack where there is none. The property's
// size is checked, once in a library.
struct DriverChoice {
    hid_t driver;
    const void* info;
    const char* configuration;
};

// A copy of the choice on a list, to be freed. False where HDF5 keeps it in another way.
bool get_choice(Library& library, hid_t access, DriverChoice& choice) noexcept;
bool set_choice(const hdf5::Api& api, hid_t access, const DriverChoice& choice) noexcept;
void free_choice(const Library& library, const DriverChoice& choice) noexcept;

// A driver that ours stands around.
struct WrappedDriver {
    Library* library = nullptr;
    hid_t inner = -1;  // the caller's driver; unlike classes in memory, ids are never used again
    const H5FD_class_t* inner_class = nullptr;
    std::string name;
    hid_t outer = -1;  // ours around it
    // What stood in its place before: HDF5 may point at its name as long as it lives.
    const WrappedDriver* replaced = nullptr;
};

// The info of our driver: shared, unchanging.
struct DriverInfo {
    std::atomic<int> references;
    const WrappedDriver* driver;
    DriverChoice callers;
    const Info* info;  // the connector's configuration for this file, or null
};

// Takes over `callers`; null if memory is short.
DriverInfo* make_driver_info(const WrappedDriver& driver, const DriverChoice& callers,
                             const Info* info) noexcept;
void* retain_driver_info(const void* info) noexcept;
herr_t release_driver_info(void* info) noexcept;

// Our info on a list, retained. A list that has got our driver by name has none: one is made.
DriverInfo* driver_info_on(const WrappedDriver& driver, hid_t access) noexcept;

// Whether the caller's driver may look at an access list for itself: not if it never keeps anything
// there, as the one that most files are opened with.
bool looks_at_lists(const DriverInfo& info) noexcept;

// While it opens or deletes a file, an access list names the caller's driver, which looks for its
// own info there.
void name_callers_driver(const DriverInfo& info, hid_t access) noexcept;
void name_our_driver(const DriverInfo& info, hid_t access, Outcome outcome) noexcept;

}  // namespace quarry::connector
