// How far a copy goes that HDF5 makes of an object (H5Ocopy).
#pragma once

#include "connector/object.hpp"

namespace quarry::connector {

enum class CopyReach : uint8_t {
    Object,  // no further
    Group,   // what is below it
    File,    // whatever its references and soft links lead to, which may be anything in its file
};

CopyReach reach_of_copy(const Object& object, H5I_type_t type, hid_t copying,
                        hid_t transfer) noexcept;

// Whether what external links lead to is copied, too.
bool copies_behind_external_links(const Object& group, hid_t copying, hid_t transfer) noexcept;

}  // namespace quarry::connector
