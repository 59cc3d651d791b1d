// Puts new objects into their groups, with what they have yet to get in the first piece of their
// header.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

// By which an object is put into a group.
struct NewLink {
    hid_t group;
    const std::string& name;
    hid_t creation;
};

class HeaderPlacement {
public:
    HeaderPlacement();

    // The object itself or, where its header could not grow, a copy that has `room` in it. So far
    // the file has as many `datasets`.
    Handle placed(Handle made, size_t room, const NewLink& link, size_t datasets);

    // Of all that is open in the file.
    void let_go() { given_up_.clear(); }

private:
    Handle sharing_types_;
    // Objects whose headers could not grow. Closed, they would leave their places to the next ones,
    // which could not grow there either. Their room is lost, so there are only a few.
    std::vector<Handle> given_up_;
};

}  // namespace quarry::hdf5
