// Tells data that has changed by mistake from data that has not. No protection against somebody who
// wants to deceive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace quarry {

// Of bytes that come in any pieces: what it says depends on the bytes alone.
class Checksum {
public:
    void add(std::span<const std::byte> bytes);
    uint64_t value() const;

private:
    void mix(uint64_t word);

    uint64_t state_ = 0;
    uint64_t pending_ = 0;  // bytes that do not make a word yet
    uint64_t count_ = 0;
};

struct ByteRange {
    uint64_t offset = 0;
    uint64_t size = 0;

    bool operator==(const ByteRange&) const = default;
};

// Of parts of an open file, one after the other; nothing if one of them is not there.
std::optional<uint64_t> checksum_of(int file, std::span<const ByteRange> ranges);

}  // namespace quarry
