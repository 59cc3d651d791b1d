// What time HDF5 takes it to be when it notes in an object that this was made or changed: a copy
// keeps the times of what it was made from, and HDF5 has no call for that.
#pragma once

#include <hdf5.h>

#include <ctime>

namespace quarry::hdf5 {

// While one lives, in this process. The innermost counts.
class ObjectClock {
public:
    explicit ObjectClock(time_t time) noexcept;
    ~ObjectClock();
    ObjectClock(const ObjectClock&) = delete;
    ObjectClock& operator=(const ObjectClock&) = delete;

private:
    time_t before_;
};

struct ObjectTimes {
    time_t made = 0;  // or changed, where that is not known
    time_t changed = 0;
};
ObjectTimes times_of(hid_t object);

}  // namespace quarry::hdf5
