// What is beside carved files for people and programs: which is the copy of what, and what was left
// out of it.
#pragma once

#include <quarry/carve.hpp>

namespace quarry::carve_files {

inline constexpr const char* kManifest = "quarry-carved.json";

struct Manifest {
    CarveOptions::Granularity granularity = CarveOptions::Granularity::Object;
    std::vector<FileFate> files;
};

std::string manifest_of(const Manifest& manifest);
Result<Manifest> read_manifest(const std::string& directory);

}  // namespace quarry::carve_files
