// System calls past the C library, for what the program must not see: other libraries may stand in
// front of the C library's functions, ours among them.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace quarry {

inline int raw_open(const char* path, int flags, mode_t mode = 0) noexcept {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

inline int raw_close(int file) noexcept {
    return static_cast<int>(syscall(SYS_close, file));
}

inline ssize_t raw_write(int file, const void* bytes, size_t size) noexcept {
    return syscall(SYS_write, file, bytes, size);
}

// A part of a file, shared; MAP_FAILED if that cannot be done.
inline void* raw_map(int file, size_t offset, size_t size) noexcept {
    return reinterpret_cast<void*>(
        syscall(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset));
}

}  // namespace quarry
