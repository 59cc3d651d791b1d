#include "base/file_copy.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <vector>

#include "base/file_times.hpp"

namespace quarry {
namespace {

// Some tenths of a second, so that people see how far it is.
constexpr size_t kAtOnce = size_t{1} << 26;

// Not every pair of file systems can copy by itself; sendfile works for all.
ssize_t copy_some(int source, int target) {
    const ssize_t copied = copy_file_range(source, nullptr, target, nullptr, kAtOnce, 0);
    if (copied > 0 || (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)))
        return copied;
    return sendfile(target, source, nullptr, kAtOnce);
}

bool copy_all(int source, int target, const std::function<void(uint64_t)>& hear) {
    ssize_t copied = 0;
    do {
        copied = copy_some(source, target);
        if (copied > 0 && hear) hear(static_cast<uint64_t>(copied));
    } while (copied > 0 || (copied < 0 && errno == EINTR));
    struct stat status{};
    if (copied < 0 || fstat(source, &status) != 0) return false;
    const std::array<timespec, 2> times{status.st_mtim, status.st_mtim};
    return futimens(target, times.data()) == 0;
}

}  // namespace

bool copy_into(const std::string& source, int target, const std::function<void(uint64_t)>& hear) {
    const int file = open(source.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = copy_all(file, target, hear);
    const int why = errno;
    close(file);
    errno = why;
    return done;
}

bool copy_to(const std::string& source, const std::string& target,
             const std::function<void(uint64_t)>& hear) {
    const int file = open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return false;
    const bool done = copy_into(source, file, hear);
    const int why = errno;
    close(file);
    errno = why;
    return done;
}

bool have_equal_bytes(const std::string& one, const std::string& other, uint64_t most) {
    constexpr size_t kOfBoth = 1 << 20;
    std::ifstream first(one, std::ios::binary), second(other, std::ios::binary);
    if (!first || !second) return false;
    std::vector<char> left(kOfBoth), right(kOfBoth);
    while (first && second && most > 0) {
        const auto wanted = static_cast<std::streamsize>(std::min<uint64_t>(most, kOfBoth));
        first.read(left.data(), wanted);
        second.read(right.data(), wanted);
        const auto length = first.gcount();
        if (second.gcount() != length ||
            !std::equal(left.begin(), left.begin() + length, right.begin()))
            return false;
        most -= static_cast<uint64_t>(length);
    }
    return !first.bad() && !second.bad();
}

uint64_t last_touched(const std::string& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 ? nanoseconds(status.st_ctim) : 0;
}

bool is_still_copy(const std::string& copy, const std::string& source, uint64_t touched) {
    return last_touched(copy) == touched || have_equal_bytes(copy, source);
}

}  // namespace quarry
