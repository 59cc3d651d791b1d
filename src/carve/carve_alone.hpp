// Carving into a directory that nobody else uses or carves meanwhile.
#pragma once

#include <quarry/carve.hpp>

#include "base/directory_lock.hpp"

namespace quarry::carve_files {

// For whoever holds the lock on the directory. Where there was none yet, that is taken again.
Result<std::vector<FileFate>> carve_alone(const std::vector<InputFile>& inputs,
                                          const CarveOptions& options, DirectoryLock& lock,
                                          const Progress& progress);

// Says so.
std::string in_use(const std::string& directory);

}  // namespace quarry::carve_files
