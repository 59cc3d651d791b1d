// Whether files are as a run has left them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace quarry::pack_files {

// Whether something was written to it after that moment, in nanoseconds since 1970.
bool was_changed_after(uint64_t moment, const std::string& path, const struct stat& status);

}  // namespace quarry::pack_files
