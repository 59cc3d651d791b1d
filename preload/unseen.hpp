// Programs that this one starts and that the preloaded library will not get into.
#pragma once

namespace quarry::preload {

// A program is about to be started, in this process or in a child that may still share its memory:
// no memory may be taken here.
void starts(const char* path, char* const environment[]) noexcept;
// The same for one that is looked for in PATH.
void starts_by_name(const char* name, char* const environment[]) noexcept;

}  // namespace quarry::preload
