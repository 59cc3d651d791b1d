// What programs of a run need of the system.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

struct NeededSoftware {
    std::vector<SystemPackage> packages;
    std::vector<std::string> files;    // that belong to none: programs and libraries
    std::vector<std::string> unknown;  // likewise, where only packages put files
    std::vector<std::string> missing;  // libraries that programs ask for and that are not found
};

// Of the programs of commands, the libraries in `libraries`, and all that these load. What lies in
// a Python's prefix, or among its packages, comes with that, as far as these are not the system's.
NeededSoftware software_needed_by(const std::vector<PackedCommand>& commands,
                                  const std::vector<LibraryFacts>& libraries,
                                  const std::vector<PythonVersions>& pythons);

}  // namespace quarry::pack_files
