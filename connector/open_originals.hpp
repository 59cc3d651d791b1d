// The originals of carved files that are open. HDF5 keeps in types and headers which opening of a
// file they were read by, for as long as anything of the file is open by another: where that one
// has been closed, it follows them to nowhere, or to the file that was opened next. So there is one
// opening of each file for all that is read there.
#pragma once

#include "connector/carved_file.hpp"

namespace quarry::connector {

struct SharedOriginal {
    hid_t id = -1;       // of the file; negative if it cannot be opened
    uint64_t proof = 0;  // that it is the one
};
// Until it is left as often as it was shared. May throw std::bad_alloc. What is read there is
// nothing that the program does.
SharedOriginal share_original(const Object& object, CarvedFile& file);
void leave_original(const Object& object, CarvedFile& file, SharedOriginal shared) noexcept;

// Programs find all ids that there are, and some close those that they do not know.
bool is_open(const hdf5::Api& api, hid_t id);

}  // namespace quarry::connector
