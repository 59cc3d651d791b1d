// The file-access list that is handed to the connector below, made from the caller's.
#pragma once

#include "connector/driver_info.hpp"

namespace quarry::connector {

// The caller's list, with our driver around theirs until the end of the call: to copy a list takes
// HDF5 longer than anything else that is done here. It is a copy where the caller would notice:
// whose driver has an info on the list may hold a pointer to that. Another connector below may keep
// its list, and finds itself on the copy in place of us. Where something stands in the way, it
// simply is the caller's list.
class AccessList {
public:
    enum class Intent { Read, Write };

    AccessList(Library& library, const Under& under, const Info* info, hid_t callers,
               Intent intent) noexcept;
    AccessList(const AccessList&) = delete;
    AccessList& operator=(const AccessList&) = delete;

    hid_t id() const { return list_; }

    // To be called once the list has served; after a failure HDF5's errors are left alone.
    void end(Outcome outcome) noexcept;

private:
    bool make_copy();

    Library& library_;
    hid_t list_;
    bool is_copy_ = false;
    DriverInfo* ours_ = nullptr;  // of our driver, if it was put on the list now
};

}  // namespace quarry::connector
