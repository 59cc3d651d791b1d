#include "hdf5/object_clock.hpp"

#include <sys/time.h>

#include <atomic>

namespace {

constexpr time_t kNow = -1;
std::atomic<time_t> shown{kNow};

}  // namespace

// HDF5 asks the C library, before which this program comes.
extern "C" __attribute__((visibility("default"))) int gettimeofday(timeval* time, void*) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const time_t other = shown.load(std::memory_order_relaxed);
    time->tv_sec = other == kNow ? now.tv_sec : other;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

namespace quarry::hdf5 {

ObjectClock::ObjectClock(time_t time) noexcept : before_(shown.exchange(time)) {}

ObjectClock::~ObjectClock() {
    shown = before_;
}

}  // namespace quarry::hdf5
