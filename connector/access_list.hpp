// The file-access list that is handed to the connector below, made from the caller's.
#pragma once

#include "connector/info.hpp"

namespace quarry::connector {

enum class Outcome { Success, Failure };

// A copy of the caller's list with our driver around theirs, and with the connector below in place
// of us where that one looks for itself. The caller's own list is never changed. Where something
// stands in the way, it simply is the caller's list.
class AccessList {
public:
    AccessList(Library& library, const Under& under, const Info* info, hid_t callers) noexcept;
    AccessList(const AccessList&) = delete;
    AccessList& operator=(const AccessList&) = delete;

    hid_t id() const { return list_; }

    // To be called once the list has served; after a failure HDF5's errors are left alone.
    void end(Outcome outcome) noexcept;

private:
    Library& library_;
    hid_t list_;
    bool is_copy_ = false;
};

}  // namespace quarry::connector
