// Small parts of an open file that lie near each other, with few calls to the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quarry {

class FileWindow {
public:
    explicit FileWindow(int file) : file_(file) {}

    // Fewer where the file ends or cannot be read. Good until the next call.
    std::span<const std::byte> at(uint64_t offset, uint64_t size);

private:
    int file_;
    uint64_t begin_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace quarry
