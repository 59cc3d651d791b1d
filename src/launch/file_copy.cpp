#include "launch/file_copy.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

namespace quarry {
namespace {

constexpr size_t kAtOnce = size_t{1} << 30;

// Not every pair of file systems can copy by itself; sendfile works for all.
ssize_t copy_some(int source, int target) {
    const ssize_t copied = copy_file_range(source, nullptr, target, nullptr, kAtOnce, 0);
    if (copied > 0 || (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)))
        return copied;
    return sendfile(target, source, nullptr, kAtOnce);
}

bool copy_all(int source, int target) {
    ssize_t copied = 0;
    do {
        copied = copy_some(source, target);
    } while (copied > 0 || (copied < 0 && errno == EINTR));
    struct stat status{};
    if (copied < 0 || fstat(source, &status) != 0) return false;
    const std::array<timespec, 2> times{status.st_mtim, status.st_mtim};
    return futimens(target, times.data()) == 0;
}

bool have_same_bytes(const std::string& one, const std::string& other) {
    std::ifstream first(one, std::ios::binary), second(other, std::ios::binary);
    std::array<char, 1 << 16> left{}, right{};
    while (first && second) {
        first.read(left.data(), left.size());
        second.read(right.data(), right.size());
        const auto length = first.gcount();
        if (second.gcount() != length ||
            !std::equal(left.begin(), left.begin() + length, right.begin()))
            return false;
    }
    return first.eof() && second.eof();
}

}  // namespace

bool copy_into(const std::string& source, int target) {
    const int file = open(source.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = copy_all(file, target);
    const int why = errno;
    close(file);
    errno = why;
    return done;
}

bool is_still_copy(const std::string& copy, const std::string& source) {
    struct stat now{}, before{};
    if (stat(copy.c_str(), &now) != 0 || stat(source.c_str(), &before) != 0 ||
        now.st_size != before.st_size)
        return false;
    const bool is_untouched = now.st_mtim.tv_sec == before.st_mtim.tv_sec &&
                              now.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
    return is_untouched || have_same_bytes(copy, source);
}

}  // namespace quarry
