// What HDF5 asks about the connector itself.
#pragma once

#include "connector/library.hpp"

namespace quarry::connector {

herr_t introspect_class(void* object, H5VL_get_conn_lvl_t level, const H5VL_class_t** cls) noexcept;
herr_t introspect_capabilities(Library& library, const void* info, uint64_t* flags) noexcept;
herr_t introspect_optional(void* object, H5VL_subclass_t subclass, int operation,
                           uint64_t* flags) noexcept;

}  // namespace quarry::connector
