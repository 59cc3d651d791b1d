// The byte layer: a file driver put around whichever driver the caller has chosen.
#pragma once

#include "connector/info.hpp"

namespace quarry::connector {

// Whether this HDF5 offers what the byte layer needs. Says so once, if not.
bool byte_layer_works(Library& library) noexcept;

// Whether the driver on a list is all that there is to say about it.
bool has_driver_without_info(const Library& library, hid_t access) noexcept;

// Replaces the driver on an access list by ours around it, if it is not ours already.
enum class DriverPut { Now, Before, Not };
DriverPut put_driver_around(Library& library, hid_t access, const Info* info) noexcept;

// Whether the file that a group is in has been opened through our driver.
bool is_in_file_with_driver(Library& library, hid_t group, hid_t transfer) noexcept;

// The opposite: programs that ask a file for its access list get back the driver they have set.
void give_back_callers_driver(Library& library, hid_t access) noexcept;

}  // namespace quarry::connector
