// C's buffered streams, whose reads and writes happen inside the C library: what they have moved is
// told by how far the file's position has come.
#pragma once

#include <cstdio>

namespace quarry::preload {

void stream_opened(std::FILE* stream) noexcept;
// Before its position is set to another place, and before it is closed.
void stream_leaves(std::FILE* stream) noexcept;
// After its position was set.
void stream_arrived(std::FILE* stream) noexcept;
void stream_closes(std::FILE* stream) noexcept;

// Somebody else may move the same positions from now on.
void child_started() noexcept;
// The position of a number was set by a call: who does that moves bytes by calls, too.
void position_set(int file) noexcept;

// At the end of the process: counts those that are still open, the standard ones included.
void all_streams_leave() noexcept;

}  // namespace quarry::preload
