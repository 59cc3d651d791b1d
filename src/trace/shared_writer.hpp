// One writer in a process, although two libraries of ours may be in it: the connector uses that of
// the preloaded library where there is one.
#pragma once

#include "trace/writer.hpp"

namespace quarry::trace {

// Only libraries of the same build know each other's writer.
inline constexpr uint64_t kWriterLayout = uint64_t{kVersion} << 32 | sizeof(Writer);

// extern "C", exported by the preloaded library; null if it records elsewhere, or nothing.
using SharedWriter = Writer*(uint64_t layout, const char* directory);
inline constexpr const char* kSharedWriter = "quarry_shared_writer";

// Told by the connector while a driver opens or closes its file: what is opened now is recorded as
// HDF5's.
using FilesAreHdf5 = void(bool now);
inline constexpr const char* kFilesAreHdf5 = "quarry_files_are_hdf5";

}  // namespace quarry::trace
