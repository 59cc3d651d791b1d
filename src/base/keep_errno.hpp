// Leaves errno as the program knows it.
#pragma once

#include <cerrno>

namespace quarry {

class KeepErrno {
public:
    KeepErrno() : errno_(errno) {}
    ~KeepErrno() { errno = errno_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

private:
    int errno_;
};

}  // namespace quarry
