// The two clocks of a trace, in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

#include "base/file_times.hpp"

namespace quarry::trace {

inline uint64_t nanoseconds_of(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return nanoseconds(now);
}

inline uint64_t monotonic_now() noexcept {
    return nanoseconds_of(CLOCK_MONOTONIC);
}
inline uint64_t realtime_now() noexcept {
    return nanoseconds_of(CLOCK_REALTIME);
}

}  // namespace quarry::trace
