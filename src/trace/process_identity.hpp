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

// When the process was started, in clock ticks since boot; 0 if there is none.
uint64_t age_of_process(uint32_t pid) noexcept;

}  // namespace quarry::trace
