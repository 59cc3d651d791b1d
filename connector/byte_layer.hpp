// The byte layer: a file driver put around whichever driver the caller has chosen.
#pragma once

#include "connector/driver_info.hpp"

namespace quarry::connector {

// Whether this HDF5 offers what the byte layer needs. Says so once, if not.
bool byte_layer_works(Library& library) noexcept;

struct DriverPut {
    bool is_there = false;       // our driver, now or already
    DriverInfo* info = nullptr;  // to be released, where it was put there now
};

// Replaces the driver on an access list, which is taken over, by ours around it.
DriverPut put_driver_around(Library& library, hid_t access, const DriverChoice& callers,
                            const Info* info) noexcept;

// Whether the file that a group is in has been opened through our driver.
bool is_in_file_with_driver(Library& library, hid_t group, hid_t transfer) noexcept;

// The opposite: programs that ask a file for its access list get back the driver they have set.
void give_back_callers_driver(Library& library, hid_t access) noexcept;

}  // namespace quarry::connector
