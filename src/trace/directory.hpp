// The directory of a trace. None of this needs memory: it is called inside other people's programs.
#pragma once

#include <limits.h>
#include <array>
#include <cstddef>
#include <cstdint>

namespace quarry::trace {

using PathBuffer = std::array<char, PATH_MAX>;

// Also when it exists already. False with errno.
bool make_trace_directory(const char* directory) noexcept;

// A new file for this process, under a name that no process of any host has: its descriptor, or -1
// with errno.
int create_process_file(const char* directory, uint64_t realtime, const char* host,
                        PathBuffer& path) noexcept;

// A file for this process that is in the trace only once it is listed: whoever begins it may be
// killed meanwhile, and each file that is found there is to be whole.
class UnlistedFile {
public:
    // Without a name nothing is left of it after a kill, but not every file system knows that; one
    // of another kind may stay, and is no part of the trace.
    enum class Name { None, OfAnotherKind };

    UnlistedFile(const char* directory, uint64_t realtime, const char* host, Name name) noexcept;
    ~UnlistedFile();
    UnlistedFile(const UnlistedFile&) = delete;
    UnlistedFile& operator=(const UnlistedFile&) = delete;

    // Its descriptor, or -1 with errno.
    int get() const { return file_; }
    // Under a name that no process of any host has, which is put into `path`. False with errno.
    bool list(PathBuffer& path) const noexcept;

private:
    const char* directory_;
    uint64_t realtime_;
    const char* host_;
    PathBuffer name_{};  // empty if it has none
    int file_;
};

// The same as create_process_file() without opening it, so that it stays empty. False with errno.
bool make_empty_process_file(const char* directory, uint64_t realtime, const char* host,
                             PathBuffer& path) noexcept;

// Bytes that all files of the trace take, as far as they can be seen.
uint64_t size_of_trace(const char* directory) noexcept;

}  // namespace quarry::trace
