// Texts in an archive by which people and other tools repeat the run.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

// By their names in the archive.
std::vector<std::pair<std::string, std::string>> recipe_of(const Pack& pack,
                                                           const std::vector<FileFate>& inputs);

}  // namespace quarry::pack_files
