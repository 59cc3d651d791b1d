// Looks into an HDF5 library by loading it, in a child process.
#pragma once

#include <quarry/launch.hpp>
#include <string>
#include <vector>

namespace quarry {

struct LibraryAnswer {
    std::string version;
    bool parallel = false;
    std::string problem;  // why there is no answer
};

// What the library says of itself in an environment without HDF5_PLUGIN_PATH and connector.
LibraryAnswer ask_library(const std::string& library);

// Writes and reads `file` with the library under these variables. What went wrong, or nothing.
std::string exercise_library(const std::string& library, const std::string& file,
                             const std::vector<EnvironmentChange>& changes);

}  // namespace quarry
