// The directory of a trace. None of this needs memory: it is called inside other people's programs.
#pragma once

#include <limits.h>
#include <array>
#include <cstddef>
#include <cstdint>

namespace quarry::trace {

using PathBuffer = std::array<char, PATH_MAX>;

// Also when it exists already. False with errno.
bool make_trace_directory(const char* directory) noexcept;

// A new file for this process, under a name that no process of any host has: its descriptor, or -1
// with errno.
int create_process_file(const char* directory, uint64_t realtime, const char* host,
                        PathBuffer& path) noexcept;

// The same without opening it, so that it stays empty. False with errno.
bool make_empty_process_file(const char* directory, uint64_t realtime, const char* host,
                             PathBuffer& path) noexcept;

// Bytes that all files of the trace take, as far as they can be seen.
uint64_t size_of_trace(const char* directory) noexcept;

}  // namespace quarry::trace
