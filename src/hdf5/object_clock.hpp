// What time HDF5 takes it to be when it notes in an object that this was made or changed: a copy
// keeps the times of what it was made from, and HDF5 has no call for that.
#pragma once

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

}  // namespace quarry::hdf5
