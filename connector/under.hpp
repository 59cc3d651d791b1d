// The connector that Quarry stands on: HDF5's native one unless `under=` names another.
#pragma once

#include "hdf5/api.hpp"

namespace quarry::connector {

struct Library;
struct Under;

// What HDF5 keeps while it is inside a call, to wrap objects that come up from below.
struct WrapContext {
    const Under* under = nullptr;
    void* under_context = nullptr;
    bool owned = false;
};

// Lives as long as the process: objects that point at it may be closed after main has ended.
struct Under {
    Library* library = nullptr;
    // Its callbacks are called directly. Going through HDF5's H5VL functions would add a search for
    // the connector id and a frame on the error stack to every call.
    const H5VL_class_t* callbacks = nullptr;
    hid_t id = -1;
    void* info =
        nullptr;  // for the access list that a connector other than the native one is given
    bool is_native = true;
    WrapContext context;  // for a connector that needs no context of its own
};

// The connector to stand on, looked up or loaded once. Null only if HDF5 has no native connector.
// Enters HDF5's API.
const Under* native_under(Library& library);
const Under* under_named(Library& library, const char* name, const char* info);

}  // namespace quarry::connector
