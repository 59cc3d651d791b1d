#include "hdf5/header_ranges.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <string_view>

namespace quarry::hdf5 {
namespace {

constexpr uint64_t kLongest = 1 << 20;  // more than any part of a header that HDF5 writes
constexpr size_t kMostParts = 4096;
constexpr unsigned kContinuation = 0x10;

using Bytes = std::vector<uint8_t>;

Bytes bytes_at(int file, uint64_t offset, uint64_t size) {
    Bytes bytes(std::min(size, kLongest));
    const ssize_t got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
}

// A number of so many bytes, the lowest first; 0 where there are none.
uint64_t number_at(const Bytes& bytes, size_t at, size_t size) {
    uint64_t number = 0;
    for (size_t i = 0; i < size && at + i < bytes.size(); ++i)
        number |= uint64_t{bytes[at + i]} << (8 * i);
    return number;
}

bool begins_with(const Bytes& bytes, std::string_view sign) {
    return bytes.size() >= sign.size() && std::equal(sign.begin(), sign.end(), bytes.begin());
}

// The two ways in which headers are written.
struct Dialect {
    size_t message_head = 8;  // bytes before the contents of each message
    size_t type_size = 2;
    size_t before = 0;  // bytes before the first message of a further part, and behind its last
    size_t behind = 0;
};

struct Beginning {
    Dialect dialect;
    size_t first_message = 0;
    uint64_t size = 0;  // of the whole first part; 0 if it is none
};

Beginning beginning_of(const Bytes& bytes) {
    if (begins_with(bytes, "OHDR")) {
        const auto flags = static_cast<unsigned>(number_at(bytes, 5, 1));
        const size_t size_of_size = size_t{1} << (flags & 3);
        const size_t at_size = 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
        const size_t first = at_size + size_of_size;
        const size_t head = (flags & 4) != 0 ? 6 : 4;
        return {{head, 1, 4, 4}, first, first + number_at(bytes, at_size, size_of_size) + 4};
    }
    if (begins_with(bytes, "\1")) return {{}, 16, 16 + number_at(bytes, 8, 4)};
    return {};
}

// Where a part of a header says that it goes on.
void add_continuations(const Bytes& bytes, size_t at, const Dialect& dialect,
                       const HeaderFormat& format, std::deque<ByteRange>& found) {
    while (at + dialect.message_head + dialect.behind <= bytes.size()) {
        const uint64_t type = number_at(bytes, at, dialect.type_size);
        const uint64_t size = number_at(bytes, at + dialect.type_size, 2);
        const size_t contents = at + dialect.message_head;
        if (type == kContinuation && size >= format.address_size + format.length_size) {
            const uint64_t address = number_at(bytes, contents, format.address_size);
            const uint64_t length =
                number_at(bytes, contents + format.address_size, format.length_size);
            found.push_back({format.base + address, std::min(length, kLongest)});
        }
        at = contents + size;
    }
}

void add_header(int file, const HeaderFormat& format, uint64_t address,
                std::vector<ByteRange>& ranges) {
    constexpr uint64_t kUsual = 512;
    const uint64_t offset = format.base + address;
    Bytes bytes = bytes_at(file, offset, kUsual);
    const Beginning beginning = beginning_of(bytes);
    if (beginning.size > bytes.size()) bytes = bytes_at(file, offset, beginning.size);
    bytes.resize(std::min<uint64_t>(bytes.size(), beginning.size));
    ranges.push_back({offset, bytes.size()});
    std::deque<ByteRange> parts;
    add_continuations(bytes, beginning.first_message, beginning.dialect, format, parts);
    for (size_t count = 0; !parts.empty() && count < kMostParts; ++count) {
        const ByteRange part = parts.front();
        parts.pop_front();
        bytes = bytes_at(file, part.offset, part.size);
        ranges.push_back({part.offset, bytes.size()});
        add_continuations(bytes, beginning.dialect.before, beginning.dialect, format, parts);
    }
}

}  // namespace

std::vector<ByteRange> header_ranges(int file, const HeaderFormat& format,
                                     std::span<const uint64_t> objects) {
    std::vector<ByteRange> ranges;
    ranges.push_back({format.base, bytes_at(file, format.base, format.superblock).size()});
    for (const uint64_t address : objects) add_header(file, format, address, ranges);
    return ranges;
}

}  // namespace quarry::hdf5
