#include "hdf5/header_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <string_view>

namespace quarry::hdf5 {
namespace {

constexpr uint64_t kLongest = 1 << 20;  // more than any part of a header that HDF5 writes
constexpr size_t kMostParts = 4096;
constexpr unsigned kContinuation = 0x10;

using Bytes = std::span<const uint8_t>;

bool begins_with(Bytes bytes, std::string_view sign) {
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

Beginning beginning_of(Bytes bytes) {
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

// The messages of one part. False if the last one goes beyond it.
bool read_messages(Bytes bytes, size_t at, const Dialect& dialect,
                   const std::function<void(const HeaderMessage&)>& hear) {
    while (at + dialect.message_head + dialect.behind <= bytes.size()) {
        const uint64_t size = number_at(bytes, at + dialect.type_size, 2);
        const size_t contents = at + dialect.message_head;
        if (contents + size > bytes.size()) return false;
        HeaderMessage message;
        message.type = static_cast<unsigned>(number_at(bytes, at, dialect.type_size));
        message.flags = static_cast<unsigned>(number_at(bytes, at + dialect.type_size + 2, 1));
        message.contents = bytes.subspan(contents, size);
        hear(message);
        at = contents + size;
    }
    return true;
}

}  // namespace

uint64_t number_at(std::span<const uint8_t> bytes, size_t at, size_t size) {
    uint64_t number = 0;
    for (size_t i = 0; i < size && at + i < bytes.size(); ++i)
        number |= uint64_t{bytes[at + i]} << (8 * i);
    return number;
}

HeaderFile::HeaderFile(const std::string& path, const HeaderFormat& format)
    : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), format_(format), window_(file_) {}

HeaderFile::~HeaderFile() {
    if (file_ >= 0) close(file_);
}

std::span<const uint8_t> HeaderFile::bytes_at(uint64_t offset, uint64_t size) {
    const std::span<const std::byte> bytes = window_.at(offset, std::min(size, kLongest));
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

bool HeaderFile::read(uint64_t address, const Hearer& hearer) {
    constexpr uint64_t kUsual = 512;
    const uint64_t offset = format_.base + address;
    Bytes bytes = bytes_at(offset, kUsual);
    const Beginning beginning = beginning_of(bytes);
    if (beginning.size > bytes.size()) bytes = bytes_at(offset, beginning.size);
    bool is_whole = beginning.size > 0 && bytes.size() >= beginning.size;
    bytes = bytes.first(std::min<uint64_t>(bytes.size(), beginning.size));
    hearer.part({offset, bytes.size()});
    std::deque<ByteRange> parts;
    const auto hear = [&](const HeaderMessage& message) {
        const unsigned size = format_.address_size;
        if (message.type == kContinuation && message.contents.size() >= size + format_.length_size)
            parts.push_back(
                {format_.base + number_at(message.contents, 0, size),
                 std::min(number_at(message.contents, size, format_.length_size), kLongest)});
        hearer.message(message);
    };
    is_whole = read_messages(bytes, beginning.first_message, beginning.dialect, hear) && is_whole;
    for (size_t count = 0; !parts.empty() && count < kMostParts; ++count) {
        const ByteRange part = parts.front();
        parts.pop_front();
        bytes = bytes_at(part.offset, part.size);
        is_whole = is_whole && bytes.size() == part.size;
        hearer.part({part.offset, bytes.size()});
        is_whole =
            read_messages(bytes, beginning.dialect.before, beginning.dialect, hear) && is_whole;
    }
    return is_whole && parts.empty();
}

}  // namespace quarry::hdf5
