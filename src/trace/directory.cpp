#include "trace/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/keep_errno.hpp"
#include "base/raw_calls.hpp"
#include "trace/format.hpp"

namespace quarry::trace {
namespace {

// As getdents64(2) lays it out; the C library has no struct for it that is safe without memory.
struct Entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[1];
};

uint64_t size_of_entry(int directory, const char* name) noexcept {
    struct stat status{};
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        return 0;
    return static_cast<uint64_t>(status.st_blocks) * 512;
}

struct ProcessFileName {
    const char* directory;
    uint64_t realtime;
    const char* host;
    const char* suffix = kSuffix;
};

// Puts a name that nobody has into `path`, by what `make` answers and errno.
template <typename Make>
int make_process_file(const ProcessFileName& name, PathBuffer& path, const Make& make) noexcept {
    for (unsigned attempt = 0; attempt < 1000; ++attempt) {
        const int size = std::snprintf(path.data(), path.size(), "%s/%016" PRIx64 "-%s-%d%s",
                                       name.directory, name.realtime + attempt, name.host,
                                       static_cast<int>(getpid()), name.suffix);
        if (size < 0 || static_cast<size_t>(size) >= path.size()) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int made = make();
        if (made >= 0 || errno != EEXIST) return made;
    }
    return -1;
}

}  // namespace

bool make_trace_directory(const char* directory) noexcept {
    if (mkdir(directory, 0777) == 0) return true;
    if (errno != EEXIST) return false;
    struct stat status{};
    if (stat(directory, &status) == 0 && S_ISDIR(status.st_mode)) return true;
    errno = ENOTDIR;
    return false;
}

int create_process_file(const char* directory, uint64_t realtime, const char* host,
                        PathBuffer& path) noexcept {
    return make_process_file({directory, realtime, host}, path, [&] {
        return raw_open(path.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    });
}

UnlistedFile::UnlistedFile(const char* directory, uint64_t realtime, const char* host,
                           Name name) noexcept
    : directory_(directory), realtime_(realtime), host_(host) {
    constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    if (name == Name::None)
        file_ = raw_open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    else
        file_ = make_process_file({directory, realtime, host, ".begun"}, name_,
                                  [&] { return raw_open(name_.data(), kNew, 0666); });
    if (file_ < 0) name_[0] = '\0';
}

UnlistedFile::~UnlistedFile() {
    const KeepErrno keep;
    if (name_[0] != '\0') unlink(name_.data());
    if (file_ >= 0) raw_close(file_);
}

bool UnlistedFile::list(PathBuffer& path) const noexcept {
    std::array<char, 32> opened;
    std::snprintf(opened.data(), opened.size(), "/proc/self/fd/%d", file_);
    const bool is_named = name_[0] != '\0';
    const char* from = is_named ? name_.data() : opened.data();
    return make_process_file({directory_, realtime_, host_}, path, [&] {
               const int linked = linkat(AT_FDCWD, from, AT_FDCWD, path.data(), AT_SYMLINK_FOLLOW);
               // Not every file system has hard links.
               const bool may_move = linked != 0 && is_named && errno != EEXIST;
               return may_move ? rename(from, path.data()) : linked;
           }) == 0;
}

bool make_empty_process_file(const char* directory, uint64_t realtime, const char* host,
                             PathBuffer& path) noexcept {
    return make_process_file({directory, realtime, host}, path,
                             [&] { return mknod(path.data(), S_IFREG | 0666, 0); }) == 0;
}

uint64_t size_of_trace(const char* directory) noexcept {
    const int list = raw_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (list < 0) return 0;
    uint64_t total = 0;
    alignas(Entry) std::array<char, 16384> buffer;
    while (true) {
        const long filled = syscall(SYS_getdents64, list, buffer.data(), buffer.size());
        if (filled <= 0) break;
        for (long at = 0; at < filled;) {
            const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
            total += size_of_entry(list, entry->name);
            at += entry->size;
        }
    }
    raw_close(list);
    return total;
}

}  // namespace quarry::trace
