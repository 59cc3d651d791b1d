// What programs do with carved data besides reading it.
#pragma once

#include <optional>

#include "connector/object.hpp"

namespace quarry::connector {

// Whether a dataset may not be written to or given another shape, since what is missing in it would
// then read as if it had been empty. Told on stderr.
bool is_kept_as_it_is(Object& dataset, hid_t transfer) noexcept;

struct CopiedObject {
    Object& source;  // what is copied
    H5I_type_t type;
    const char* name;  // as the program has called it
    void* target_below;
    const H5VL_loc_params_t* target_location;
    const char* target_name;
    hid_t copying;
    hid_t link_creation;
    hid_t transfer;
};

// H5Ocopy of something of which data is missing: copied from the original, or refused. Nothing if
// all of it is there.
std::optional<herr_t> copy_with_missing_data(const CopiedObject& copied) noexcept;

}  // namespace quarry::connector
