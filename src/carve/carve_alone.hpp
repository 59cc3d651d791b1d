// Carving into a directory that nobody else uses or carves meanwhile.
#pragma once

#include <quarry/carve.hpp>

namespace quarry::carve_files {

// For whoever holds the lock on the directory.
Result<std::vector<FileFate>> carve_alone(const std::vector<InputFile>& inputs,
                                          const CarveOptions& options, const Progress& progress);

// Says so.
std::string in_use(const std::string& directory);

}  // namespace quarry::carve_files
