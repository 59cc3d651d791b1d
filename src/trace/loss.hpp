// What is left of a process that cannot record.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

namespace quarry::trace {

// An empty file in the trace, which takes no room on a disk and no number of an open file: whoever
// reads the trace is told that it lacks something. False with errno.
bool mark_loss(const char* directory) noexcept;

// The same, or, where this process may not write, word to the `quarry run` that listens under this
// name. Needs no memory.
void tell_of_loss(const char* directory, std::string_view listener) noexcept;

// A name that lies in no directory, so that all users can reach it. Names that are too long are
// cut.
struct ListenerAddress {
    explicit ListenerAddress(std::string_view name) noexcept;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

    sockaddr_un address{};
    socklen_t size = 0;
};

}  // namespace quarry::trace
