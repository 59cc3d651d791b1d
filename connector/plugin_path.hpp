// Plugin directories that a program would have had without us.
#pragma once

#include "connector/library.hpp"

namespace quarry::connector {

// The netCDF4 wheel points HDF5_PLUGIN_PATH at its own filters, but only where the variable is not set.
// `quarry run` has to set it, notes in QUARRY_PLUGIN_PATH_UNSET that the user had not, and the
// directory is added here when the wheel's library starts: on that library's own path, and in the
// environment, from which netCDF-C fills that path anew, and libraries and processes that start later
// read it, as they would natively.
void restore_plugin_path(const Library& library) noexcept;

}  // namespace quarry::connector
