// Plugin directories that a program would have had without us.
//
// `quarry run` has to set HDF5_PLUGIN_PATH, and notes in QUARRY_PLUGIN_PATH_UNSET that the user had
// not. With the variable set, HDF5 no longer looks into the directories that are compiled into it,
// and the netCDF4 wheel no longer points it at its own filters. Both are added here.
#pragma once

#include "connector/library.hpp"

namespace quarry::connector {

// When a library starts: adds its own directories. If it is that of the wheel, its filters are put
// into the environment, for HDF5 libraries and processes that start later.
void restore_plugin_path_at_start(const Library& library) noexcept;

// When a file is opened: puts those filters in the place of the library's own directories, or else
// adds these once more, because netCDF-C reads the variable, starts HDF5, and then empties that
// path to fill it with what it has read. The filters are not for the wheel alone: a library that
// came before it looks at the variable when it needs its first plugin, which natively is after
// netCDF4 has set it.
void restore_plugin_path(const Library& library) noexcept;

}  // namespace quarry::connector
