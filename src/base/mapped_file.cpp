#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace quarry {

Result<MappedFile> MappedFile::open(const std::string& path) {
    const auto failure = [&] { return Error{path + " cannot be read: " + std::strerror(errno)}; };
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return failure();
    struct stat status{};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(fd);
        return Error{path + " is not a regular file"};
    }
    const auto size = static_cast<size_t>(status.st_size);
    if (size == 0) {
        ::close(fd);
        return MappedFile(nullptr, 0);
    }
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int map_error = errno;
    ::close(fd);
    errno = map_error;
    if (data == MAP_FAILED) return failure();
    return MappedFile(data, size);
}

MappedFile::~MappedFile() {
    if (data_) munmap(data_, size_);
}

}  // namespace quarry
