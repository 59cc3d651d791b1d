// The HDF5 libraries in a Python's packages, found in the file system: starting the interpreter
// would take longer than everything else that `run` does.
#pragma once

#include <quarry/launch.hpp>
#include <string>
#include <vector>

#include "launch/library.hpp"

namespace quarry {

// The packages that bind HDF5 themselves; others (h5netcdf, xarray, pandas) come through them.
inline constexpr const char* kHdf5Packages[] = {"h5py", "netCDF4", "tables"};

// Where this interpreter looks for installed packages, first to last.
std::vector<std::string> site_directories(const std::string& interpreter,
                                          const Environment& environment);

// One entry for each package, and one for every other wheel that brings a HDF5 of its own.
std::vector<Hdf5Library> python_libraries(const std::string& interpreter,
                                          const Environment& environment);

}  // namespace quarry
