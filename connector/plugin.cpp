// The entry points by which HDF5 finds a connector in a shared library.
#include <H5PLextern.h>

#include "connector/library.hpp"
#include "connector/vol_class.hpp"

// The library that is calling must be told from its return address: weak or global look-ups find
// nothing, or another HDF5, in a process of wheels.
extern "C" __attribute__((visibility("default"))) H5PL_type_t H5PLget_plugin_type() {
    return H5PL_TYPE_VOL;
}

extern "C" __attribute__((visibility("default"))) const void* H5PLget_plugin_info() {
    const auto* library = quarry::connector::library_of_caller(__builtin_return_address(0));
    return library != nullptr ? &library->connector : nullptr;
}
