// What is beside a carved file for those who serve it: what was left out of it, how that looked,
// and where it lies in the original. docs/formats/carved.md describes the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <quarry/result.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/checksum.hpp"

namespace quarry {

// Where carved directories keep these, each under the path of its file.
inline constexpr const char* kMissingData = "quarry-carved";

// That of a copy, which is named by its path below the directory.
std::string missing_data_path(const std::string& directory, const std::string& copy);

struct MissingPiece {
    uint64_t address = 0;  // in the original
    uint64_t size = 0;
    uint32_t mask = 0;             // a bit for each filter that was left out
    bool is_kept = false;          // it is in the carved file as well
    std::vector<uint64_t> offset;  // the first element of a chunk; empty if it is all there is

    bool operator==(const MissingPiece&) const = default;
};

// A dataset that is not whole in the carved file.
struct MissingDataset {
    std::array<uint8_t, 16> place{};  // its identity there
    std::array<uint8_t, 16> token{};  // and in the original
    std::string path;
    uint64_t stored = 0;
    std::vector<std::byte> creation;  // its properties in the original, as HDF5 encodes them
    std::vector<MissingPiece> pieces;
    std::vector<uint64_t> chunk;  // its shape there; empty if there are none

    bool operator==(const MissingDataset&) const = default;
};

// The original, and how to tell that it still is the one.
struct OriginalFile {
    std::string path;
    uint64_t size = 0;
    uint64_t modified = 0;           // nanoseconds since 1970
    uint64_t checksum = 0;           // of its headers
    uint64_t whole_checksum = 0;     // of all its bytes; 0 if nobody has asked for it
    std::vector<ByteRange> headers;  // superblock and headers of objects

    bool operator==(const OriginalFile&) const = default;
};

std::vector<std::byte> encode_missing(const OriginalFile& original,
                                      const std::vector<MissingDataset>& datasets);

// Looks into bytes that may be anything, and must outlive it.
class MissingData {
public:
    static Result<MissingData> read(std::span<const std::byte> bytes);

    OriginalFile original() const;
    size_t count() const { return count_; }
    MissingDataset dataset(size_t number) const;
    // The same by parts: there can be very many pieces.
    MissingDataset without_pieces(size_t number) const;
    std::vector<MissingPiece> pieces(size_t number) const;
    struct PieceList {
        uint64_t offset;  // in the bytes
        uint64_t count;
        uint64_t rank;  // of the offset of each
    };
    PieceList piece_list(size_t number) const;
    // The one at a place of the carved file, or count() if all of that is there.
    size_t find(const std::array<uint8_t, 16>& place) const;

private:
    explicit MissingData(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::span<const std::byte> part(uint64_t offset, uint64_t size) const;
    uint64_t record_at(size_t number) const;
    uint64_t number_at(uint64_t offset) const;
    std::string text_at(uint64_t offset) const;

    std::span<const std::byte> bytes_;
    size_t count_ = 0;
};

}  // namespace quarry
