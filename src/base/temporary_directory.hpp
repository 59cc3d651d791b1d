// A directory that goes away with its owner.
#pragma once

#include <string>
#include <utility>

#include <quarry/result.hpp>

namespace quarry {

class TemporaryDirectory {
public:
    static Result<TemporaryDirectory> create();

    TemporaryDirectory(TemporaryDirectory&& other) noexcept
        : path_(std::exchange(other.path_, {})) {}
    TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
    ~TemporaryDirectory();

    const std::string& path() const { return path_; }

private:
    explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

    std::string path_;
};

}  // namespace quarry
