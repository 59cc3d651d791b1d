#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace quarry {
namespace {

// MAP_FAILED, with errno, if that cannot be.
using Take = void* (*)(int file, size_t size);

void* mapped(int file, size_t size) {
    return mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
}

void* in_memory(int file, size_t size) {
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t done = 0;
    while (data != MAP_FAILED && done < size) {
        const ssize_t count = ::read(file, static_cast<char*>(data) + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count > 0) {
            done += static_cast<size_t>(count);
            continue;
        }
        const int why = count < 0 ? errno : ENODATA;
        munmap(data, size);
        errno = why;
        return MAP_FAILED;
    }
    return data;
}

struct Bytes {
    void* data = nullptr;
    size_t size = 0;
};

Result<Bytes> bytes_of(const std::string& path, Take take) {
    const auto failure = [&] { return Error{path + " cannot be read: " + std::strerror(errno)}; };
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return failure();
    struct stat status{};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(fd);
        return Error{path + " is not a regular file"};
    }
    const auto size = static_cast<size_t>(status.st_size);
    void* data = size > 0 ? take(fd, size) : nullptr;
    const int error = errno;
    ::close(fd);
    errno = error;
    if (data == MAP_FAILED) return failure();
    return Bytes{data, size};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
    const auto found = bytes_of(path, mapped);
    if (!found) return found.error();
    return MappedFile(found->data, found->size);
}

Result<MappedFile> MappedFile::read(const std::string& path) {
    const auto found = bytes_of(path, in_memory);
    if (!found) return found.error();
    return MappedFile(found->data, found->size);
}

MappedFile::~MappedFile() {
    if (data_) munmap(data_, size_);
}

}  // namespace quarry
