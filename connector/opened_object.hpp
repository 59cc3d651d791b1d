// An object that is opened below for Quarry's own questions, and closed again.
#pragma once

#include "connector/object.hpp"

namespace quarry::connector {

class OpenedObject {
public:
    OpenedObject(const Object& from, H5I_type_t from_type, const char* name,
                 hid_t transfer) noexcept;
    ~OpenedObject();
    OpenedObject(const OpenedObject&) = delete;
    OpenedObject& operator=(const OpenedObject&) = delete;

    explicit operator bool() const { return object_.below != nullptr; }
    Object& get() { return object_; }
    const Object& get() const { return object_; }
    H5I_type_t type() const { return type_; }

private:
    Object object_;
    H5I_type_t type_ = H5I_BADID;
    hid_t transfer_;
};

// What the connector below has opened, without a word to the program.
void close_below(const Object& object, H5I_type_t type, hid_t transfer) noexcept;

}  // namespace quarry::connector
