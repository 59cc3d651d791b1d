// What is beside carved files: which is the copy of what, and what was left out of it.
#pragma once

#include <quarry/carve.hpp>

namespace quarry::carve_files {

inline constexpr const char* kManifest = "quarry-carved.json";

std::string manifest_of(const std::vector<FileFate>& files);

// As a worker tells it, and back.
std::string fate_as_text(const FileFate& fate);
bool read_fate(const std::string& text, FileFate& fate);

}  // namespace quarry::carve_files
