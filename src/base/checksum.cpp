#include "base/checksum.hpp"

#include <algorithm>
#include <cstring>

#include "base/file_window.hpp"

namespace quarry {

void Checksum::mix(uint64_t word) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
    state_ = (state_ ^ word) * kFactor;
    state_ ^= state_ >> 29;
}

void Checksum::add(std::span<const std::byte> bytes) {
    size_t at = 0;
    while (at < bytes.size()) {
        const bool is_aligned = count_ % sizeof pending_ == 0;
        if (is_aligned && bytes.size() - at >= sizeof pending_) {
            uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, sizeof word);
            mix(word);
            at += sizeof word;
            count_ += sizeof word;
            continue;
        }
        pending_ |= static_cast<uint64_t>(bytes[at++]) << (count_ % sizeof pending_ * 8);
        if (++count_ % sizeof pending_ == 0) {
            mix(pending_);
            pending_ = 0;
        }
    }
}

uint64_t Checksum::value() const {
    Checksum last = *this;
    last.mix(pending_);
    last.mix(count_);
    return last.state_;
}

std::optional<uint64_t> checksum_of(int file, std::span<const ByteRange> ranges) {
    constexpr uint64_t kAtOnce = 1 << 20;
    FileWindow window(file);
    Checksum made;
    for (const ByteRange& range : ranges) {
        for (uint64_t done = 0; done < range.size;) {
            const auto bytes = window.at(range.offset + done, std::min(kAtOnce, range.size - done));
            if (bytes.empty()) return std::nullopt;
            made.add(bytes);
            done += bytes.size();
        }
    }
    return made.value();
}

}  // namespace quarry
