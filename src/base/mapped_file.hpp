// A file's bytes, in memory or mapped read-only, as a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <quarry/result.hpp>

namespace quarry {

class MappedFile {
public:
    static Result<MappedFile> open(const std::string& path);
    // Takes memory for all of it, but whoever looks at it is not killed (SIGBUS) when somebody
    // makes the file shorter later.
    static Result<MappedFile> read(const std::string& path);

    MappedFile(MappedFile&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    MappedFile& operator=(MappedFile&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~MappedFile();

    std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

private:
    MappedFile(void* data, size_t size) : data_(data), size_(size) {}

    void* data_;
    size_t size_;
};

}  // namespace quarry
