// Who a process is, so that it can be told from another one with the same number: on this host
// later, or on another host now.
#pragma once

#include <array>
#include <cstdint>

namespace quarry::trace {

struct ProcessIdentity {
    uint32_t pid = 0;
    uint32_t parent_pid = 0;
    uint64_t age = 0;  // when it was started, in clock ticks since boot
    uint64_t parent_age = 0;
    std::array<char, 40> boot{};
    std::array<char, 64> host{};  // letters, digits, dots and dashes only
};

// Needs no memory.
ProcessIdentity identity_of_process() noexcept;

// Of a process whose parent this is: the parent's parent, its parent, and so on; zeros where there
// are no more.
struct Ancestors {
    std::array<uint64_t, 14> ages{};
    std::array<uint32_t, 14> pids{};
};
Ancestors ancestors_above(uint32_t parent_pid) noexcept;

// The same in all processes that were forked from one another without becoming another program; 0
// if nobody knows.
uint64_t number_of_execution() noexcept;

// When the process was started, in clock ticks since boot; 0 if there is none.
uint64_t age_of_process(uint32_t pid) noexcept;

}  // namespace quarry::trace
