#include "connector/vol_introspect.hpp"

#include "connector/info.hpp"
#include "connector/object.hpp"

namespace quarry::connector {

// Deprecated calls of HDF5 work only where the connector at the very bottom is the native one.
herr_t introspect_class(void* object, H5VL_get_conn_lvl_t level,
                        const H5VL_class_t** cls) noexcept {
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    if (level == H5VL_GET_CONN_LVL_CURR) {
        *cls = &under->library->connector;
        return 0;
    }
    return under->callbacks->introspect_cls.get_conn_cls(below_object, level, cls);
}

herr_t introspect_capabilities(Library& library, const void* info, uint64_t* flags) noexcept {
    const Under* under = under_of(library, static_cast<const Info*>(info));
    if (under == nullptr) return -1;
    return under->callbacks->introspect_cls.get_cap_flags(under->info, flags);
}

herr_t introspect_optional(void* object, H5VL_subclass_t subclass, int operation,
                           uint64_t* flags) noexcept {
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    return under->callbacks->introspect_cls.opt_query(below_object, subclass, operation, flags);
}

}  // namespace quarry::connector
