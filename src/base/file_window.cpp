#include "base/file_window.hpp"

#include <unistd.h>

#include <algorithm>

namespace quarry {

std::span<const std::byte> FileWindow::at(uint64_t offset, uint64_t size) {
    constexpr uint64_t kAhead = 16 << 10;
    const bool is_inside = offset >= begin_ && offset - begin_ <= bytes_.size() &&
                           size <= bytes_.size() - (offset - begin_);
    if (!is_inside) {
        begin_ = offset;
        bytes_.resize(std::max(size, kAhead));
        const ssize_t got = pread(file_, bytes_.data(), bytes_.size(), static_cast<off_t>(offset));
        bytes_.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    }
    const std::span<const std::byte> behind = std::span(bytes_).subspan(offset - begin_);
    return behind.first(std::min<uint64_t>(size, behind.size()));
}

}  // namespace quarry
