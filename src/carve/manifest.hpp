// What is beside carved files for people and programs: which is the copy of what, and what was left
// out of it.
#pragma once

#include <quarry/carve.hpp>

namespace quarry::carve_files {

inline constexpr const char* kManifest = "quarry-carved.json";
// Of its own, because there is much of it, and whoever runs a program on the files needs none.
inline constexpr const char* kDatasets = "quarry-carved-datasets.json";

struct Manifest {
    CarveOptions::Granularity granularity = CarveOptions::Granularity::Object;
    std::vector<FileFate> files;
};

// Both files of it, each synced. Files without a copy are not in it.
Result<bool> write_manifest(const std::string& directory, const Manifest& manifest);

enum class Detail { Files, Datasets };
Result<Manifest> read_manifest(const std::string& directory, Detail detail);

}  // namespace quarry::carve_files
