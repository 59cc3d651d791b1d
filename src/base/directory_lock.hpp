// Who uses a directory, and who replaces it.
#pragma once

#include <optional>
#include <string>

namespace quarry {

class DirectoryLock {
public:
    enum class Kind { Shared, Alone };

    // Nothing while somebody else has a lock that excludes it. Where there is no such directory, or
    // a file system without locks, it keeps nobody out.
    static std::optional<DirectoryLock> try_to_take(const std::string& path, Kind kind);

    DirectoryLock(DirectoryLock&& other) noexcept;
    DirectoryLock& operator=(DirectoryLock&& other) noexcept;
    ~DirectoryLock();

    // Whether it is on what is found there: a directory may have been made, or replaced, since.
    bool is_on(const std::string& path) const;

private:
    explicit DirectoryLock(int file) : file_(file) {}

    int file_;
};

}  // namespace quarry
