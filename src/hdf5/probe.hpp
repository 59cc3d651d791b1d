// Looks into an HDF5 library by loading it. It stays loaded and may take the process down with it:
// call these in a child.
#pragma once

#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry::hdf5 {

// A function that every HDF5 has: where a plugin can see it, it can see the others.
inline constexpr const char* kOpenFunction = "H5open";

struct LibraryFacts {
    std::string version;
    bool parallel = false;  // built with MPI
};

Result<LibraryFacts> ask_library(const std::string& library);

enum class Work { Done };

// Loads a plugin as HDF5 would, and looks whether it is one.
Result<Work> load_plugin(const std::string& path);

// Creates `file`, writes a chunked dataset, opens it again, reads it and compares.
Result<Work> exercise_library(const std::string& library, const std::string& file);

}  // namespace quarry::hdf5
