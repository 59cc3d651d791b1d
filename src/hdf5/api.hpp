// The HDF5 functions that Quarry calls, bound at run time to one particular libhdf5.
//
// A process may hold several HDF5 libraries (every Python wheel brings its own), so nothing here is
// ever linked: a table is filled for each library that asks for the connector. Many of HDF5's
// constants are macros that call into the library (H5P_FILE_ACCESS, H5F_ACC_RDONLY): do not use
// them in late-bound code; `make check` finds the undefined symbol.
#pragma once

#include <H5FDdevelop.h>
#include <H5Ldevelop.h>
#include <H5VLconnector.h>
#include <H5VLconnector_passthru.h>
#include <hdf5.h>

#include <string>
#include <type_traits>

namespace quarry::hdf5 {

// Without these nothing can be passed through.
#define QUARRY_HDF5_ESSENTIAL(X)    \
    X(H5get_libversion)             \
    X(H5VLget_connector_id_by_name) \
    X(H5VLintrospect_get_conn_cls)

// Without one of these Quarry still passes everything through, but without its file driver or
// without standing on another connector.
#define QUARRY_HDF5_OPTIONAL(X)       \
    X(H5Eauto_is_v2)                  \
    X(H5Eget_auto2)                   \
    X(H5Eget_current_stack)           \
    X(H5Eset_auto2)                   \
    X(H5Eset_current_stack)           \
    X(H5Ewalk2)                       \
    X(H5FDregister)                   \
    X(H5Fclose)                       \
    X(H5Fget_vfd_handle)              \
    X(H5Fopen)                        \
    X(H5Idec_ref)                     \
    X(H5Iget_type)                    \
    X(H5Iis_valid)                    \
    X(H5Lregister)                    \
    X(H5Oclose)                       \
    X(H5Oopen_by_token)               \
    X(H5Pclose)                       \
    X(H5Pcopy)                        \
    X(H5Pdecode)                      \
    X(H5Pget)                         \
    X(H5Pget_copy_object)             \
    X(H5Pget_elink_fapl)              \
    X(H5Pget_fill_value)              \
    X(H5Pget_size)                    \
    X(H5Pget_virtual_printf_gap)      \
    X(H5Pget_virtual_view)            \
    X(H5Pget_vol_id)                  \
    X(H5Pget_vol_info)                \
    X(H5PLappend)                     \
    X(H5PLget)                        \
    X(H5PLremove)                     \
    X(H5PLsize)                       \
    X(H5Premove_filter)               \
    X(H5Pset)                         \
    X(H5Pset_chunk_cache)             \
    X(H5Pset_elink_fapl)              \
    X(H5Pset_fapl_sec2)               \
    X(H5Pset_fill_value)              \
    X(H5Pset_vol)                     \
    X(H5Tdetect_class)                \
    X(H5VLconnector_str_to_info)      \
    X(H5VLfree_connector_info)        \
    X(H5VLget_connector_id)           \
    X(H5VLregister_connector_by_name) \
    X(H5VLobject)                     \
    X(H5allocate_memory)

// Optional, too, but not in HDF5's public headers, though every build exports them: there is no
// public way to ask for the class behind a driver id or a link type, nor to share in an id as the
// library does (the public functions count the references of programs).
#define QUARRY_HDF5_INTERNAL(X)                 \
    X(H5FD_get_class, H5FD_class_t* (*)(hid_t)) \
    X(H5I_dec_ref, int (*)(hid_t))              \
    X(H5I_inc_ref, int (*)(hid_t, bool))        \
    X(H5L_find_class, const H5L_class_t* (*)(H5L_type_t))

// Internal, too: what is asked about the selection of every access. HDF5's public functions for it
// take ten times as long as their answers, and are asked where one of these is missing.
#define QUARRY_HDF5_SHORTCUTS(X)                                          \
    X(H5I_object_verify, void* (*)(hid_t, H5I_type_t))                    \
    X(H5S_get_select_bounds, herr_t (*)(const void*, hsize_t*, hsize_t*)) \
    X(H5S_get_select_npoints, hsize_t (*)(const void*))                   \
    X(H5S_get_select_type, H5S_sel_type (*)(const void*))

// What recording asks about datasets and selections. Without one of these nothing is recorded.
#define QUARRY_HDF5_RECORDING(X)      \
    X(H5Pget_chunk)                   \
    X(H5Pget_external)                \
    X(H5Pget_external_count)          \
    X(H5Pfill_value_defined)          \
    X(H5Pget_file_space_page_size)    \
    X(H5Pget_file_space_strategy)     \
    X(H5Pget_fill_time)               \
    X(H5Pget_filter2)                 \
    X(H5Pget_layout)                  \
    X(H5Pget_nfilters)                \
    X(H5Pget_virtual_count)           \
    X(H5Pget_virtual_dsetname)        \
    X(H5Pget_virtual_filename)        \
    X(H5Pget_virtual_srcspace)        \
    X(H5Pget_virtual_vspace)          \
    X(H5Sclose)                       \
    X(H5Scopy)                        \
    X(H5Screate_simple)               \
    X(H5Sget_regular_hyperslab)       \
    X(H5Sget_select_bounds)           \
    X(H5Sget_select_elem_npoints)     \
    X(H5Sget_select_elem_pointlist)   \
    X(H5Sget_select_hyper_blocklist)  \
    X(H5Sget_select_hyper_nblocks)    \
    X(H5Sget_select_npoints)          \
    X(H5Sget_select_type)             \
    X(H5Sget_simple_extent_dims)      \
    X(H5Sget_simple_extent_ndims)     \
    X(H5Sget_simple_extent_npoints)   \
    X(H5Sget_simple_extent_type)      \
    X(H5Sis_regular_hyperslab)        \
    X(H5Sselect_hyperslab)            \
    X(H5Sselect_project_intersection) \
    X(H5Tclose)                       \
    X(H5Tget_array_dims2)             \
    X(H5Tget_array_ndims)             \
    X(H5Tget_class)                   \
    X(H5Tget_member_name)             \
    X(H5Tget_member_type)             \
    X(H5Tget_nmembers)                \
    X(H5Tget_order)                   \
    X(H5Tget_sign)                    \
    X(H5Tget_size)                    \
    X(H5Tget_super)                   \
    X(H5Tis_variable_str)             \
    X(H5free_memory)

struct Version {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
};

struct Api {
#define QUARRY_HDF5_MEMBER(name) decltype(&::name) name = nullptr;
    QUARRY_HDF5_ESSENTIAL(QUARRY_HDF5_MEMBER)
    QUARRY_HDF5_OPTIONAL(QUARRY_HDF5_MEMBER)
    QUARRY_HDF5_RECORDING(QUARRY_HDF5_MEMBER)
#undef QUARRY_HDF5_MEMBER

#define QUARRY_HDF5_MEMBER(name, type) std::type_identity_t<type> name = nullptr;
    QUARRY_HDF5_INTERNAL(QUARRY_HDF5_MEMBER)
    QUARRY_HDF5_SHORTCUTS(QUARRY_HDF5_MEMBER)
#undef QUARRY_HDF5_MEMBER

    // Only in HDF5 1.14: puts the stock pass-through among the connectors that can be named.
    hid_t (*H5VL_pass_through_register)() = nullptr;

    std::string path;     // of the library
    std::string missing;  // names of optional functions that it lacks, comma-separated
    bool usable = false;  // all essential ones are there
    std::string missing_for_recording;

    bool has_shortcuts = false;    // all of them are there
    bool takes_shortcuts = false;  // and known to be, in this version, what they are taken for
};

// Asks the library for its version: a call into HDF5, so not for where its errors must stay.
Version version_of(const Api& api);

// Whether what is internal to a library of this version is known.
inline bool is_known(const Version& version) {
    return (version.major == 1 && version.minor >= 14) || version.major == 2;
}

// Where the library that `address` lies in begins: its identity.
const void* library_base(const void* address);

// Binds to the library that `address` lies in: the caller of a plugin's entry point. The library
// stays loaded from then on. Calls nothing in it: HDF5 also loads plugins while it holds the errors
// of a failed open, and entering its API would clear them.
void bind_to_library_at(const void* address, Api& api) noexcept;

}  // namespace quarry::hdf5
