// `pack.json`, and back.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

inline constexpr const char* kManifest = "pack.json";
// Its checksum, as sha256sum writes and reads it.
inline constexpr const char* kManifestSum = "pack.json.sha256";
inline constexpr const char* kCarved = "carved";
inline constexpr const char* kPrograms = "programs";
inline constexpr const char* kOutputs = "outputs";
// Not in an archive: where directories are that are missing when the run is repeated.
inline constexpr const char* kMadeAgain = "run";

// In bytes: some hundred thousand files are in far less.
inline constexpr uint64_t kLargestManifest = 64 << 20;

std::string manifest_of(const Pack& pack);
std::string sum_line_of(const std::string& manifest);

// Whoever wrote it: paths in it lead nowhere but below the directory that it lies in, and every
// file is there once.
Result<Pack> read_manifest(const std::string& text);

}  // namespace quarry::pack_files
