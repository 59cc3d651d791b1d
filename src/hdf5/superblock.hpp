// The first block of a file of HDF5, by its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace quarry::hdf5 {

// How long the superblock is that these bytes begin with; 0 if they do not begin with one.
inline uint64_t superblock_size(std::span<const std::byte> bytes) noexcept {
    constexpr std::array<uint8_t, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    constexpr size_t kEnough = 16;  // bytes, to know all about its size
    const auto at = [&](size_t place) { return std::to_integer<uint8_t>(bytes[place]); };
    if (bytes.size() < kEnough) return 0;
    for (size_t i = 0; i < kSignature.size(); ++i)
        if (at(i) != kSignature[i]) return 0;
    switch (const uint8_t version = at(8)) {
        case 0:
        case 1: {
            const uint64_t addresses = at(13), lengths = at(14);
            const uint64_t root = lengths + addresses + 24;
            return (version == 0 ? 24 : 28) + 4 * addresses + root;
        }
        case 2:
        case 3:
            return 12 + 4 * uint64_t{at(9)} + 4;
        default:
            return 0;
    }
}

// HDF5 may hand it over together with what lies behind.
inline bool is_only_superblock(std::span<const std::byte> bytes) noexcept {
    return !bytes.empty() && bytes.size() <= superblock_size(bytes);
}

}  // namespace quarry::hdf5
