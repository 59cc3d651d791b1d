#include "hdf5/object_clock.hpp"

#include <sys/time.h>

#include <atomic>

#include "hdf5/failure.hpp"

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

ObjectTimes times_of(hid_t object) {
    H5O_info2_t info{};
    checked(H5Oget_info3(object, &info, H5O_INFO_TIME), "times cannot be read");
    return {info.btime != 0 ? info.btime : info.ctime, info.ctime};
}

}  // namespace quarry::hdf5
