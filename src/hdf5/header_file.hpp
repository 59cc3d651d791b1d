// The headers of objects as they lie in a file, past HDF5: for what it does not tell, or not as
// fast.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/checksum.hpp"
#include "base/file_window.hpp"

namespace quarry::hdf5 {

struct HeaderFormat {
    uint64_t base = 0;          // where HDF5's own part of the file begins
    unsigned address_size = 8;  // of what points into the file
    unsigned length_size = 8;   // of what says how long something is
    uint64_t superblock = 96;   // bytes
};

struct HeaderMessage {
    unsigned type = 0;
    unsigned flags = 0;
    std::span<const uint8_t> contents;
};

// A number of so many bytes, the lowest first, of which those count that are there.
uint64_t number_at(std::span<const uint8_t> bytes, size_t at, size_t size);

class HeaderFile {
public:
    HeaderFile(const std::string& path, const HeaderFormat& format);
    ~HeaderFile();
    HeaderFile(const HeaderFile&) = delete;
    HeaderFile& operator=(const HeaderFile&) = delete;

    int descriptor() const { return file_; }  // -1 if it cannot be opened
    const HeaderFormat& format() const { return format_; }

    struct Hearer {
        std::function<void(const ByteRange& part)> part;
        std::function<void(const HeaderMessage& message)> message;
    };
    // Goes through the header of the object at an address. False if not all of it can be made out;
    // the same bytes give the same parts.
    bool read(uint64_t address, const Hearer& hearer);

private:
    std::span<const uint8_t> bytes_at(uint64_t offset, uint64_t size);

    int file_;
    HeaderFormat format_;
    FileWindow window_;
};

}  // namespace quarry::hdf5
