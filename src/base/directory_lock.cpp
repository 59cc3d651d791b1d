#include "base/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace quarry {
namespace {

// Another may have been put in its place meanwhile.
bool is_at(int file, const std::string& path) {
    struct stat mine{}, there{};
    return fstat(file, &mine) == 0 && stat(path.c_str(), &there) == 0 &&
           mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

}  // namespace

std::optional<DirectoryLock> DirectoryLock::try_to_take(const std::string& path, Kind kind) {
    const int how = (kind == Kind::Alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
    while (true) {
        DirectoryLock lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (lock.file_ < 0) return lock;
        if (flock(lock.file_, how) != 0) {
            if (errno == EWOULDBLOCK) return std::nullopt;
            return lock;
        }
        if (is_at(lock.file_, path)) return lock;
    }
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
}

bool DirectoryLock::is_on(const std::string& path) const {
    return file_ >= 0 && is_at(file_, path);
}

DirectoryLock::~DirectoryLock() {
    if (file_ >= 0) close(file_);
}

}  // namespace quarry
