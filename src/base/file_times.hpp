// Times of files, in nanoseconds since 1970.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace quarry {

template <typename Time>
uint64_t nanoseconds(const Time& time) noexcept {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// When it was last written to.
inline uint64_t modified(const struct stat& status) noexcept {
    return nanoseconds(status.st_mtim);
}

}  // namespace quarry
