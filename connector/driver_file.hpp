// A file open through our driver: the callbacks, each handed to the inner driver.
#pragma once

#include "connector/driver_info.hpp"

namespace quarry::connector {

// `inner` with ours in place of every callback on an open file.
H5FD_class_t driver_file_callbacks(const H5FD_class_t& inner) noexcept;

H5FD_t* driver_open(const WrappedDriver& driver, const char* name, unsigned flags, hid_t access,
                    haddr_t largest) noexcept;
herr_t driver_delete(const WrappedDriver& driver, const char* name, hid_t access) noexcept;

// Whether a file of this number, as the library counts them, is open through our driver.
bool is_open_through_driver(const Library& library, unsigned long number) noexcept;

herr_t driver_query(const H5FD_t* file, unsigned long* flags) noexcept;

}  // namespace quarry::connector
