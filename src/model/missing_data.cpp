#include "model/missing_data.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quarry {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kMagic = 0x3353'5349'4d59'5251;  // "QRYMISS3"

// Offsets of the fields in the header, in a dataset's record and in a piece's.
enum Header : uint64_t {
    kOwnChecksum = 8,  // of everything behind it
    kSize = 16,
    kModified = 24,
    kChecksum = 32,
    kWholeChecksum = 40,
    kPath = 48,      // offset and size
    kRanges = 64,    // offset and count
    kDatasets = 80,  // offset and count
    kHeaderSize = 96,
};
enum Record : uint64_t {
    kPlace = 0,
    kToken = 16,
    kStored = 32,
    kName = 40,      // offset and size
    kCreation = 56,  // offset and size
    kPieces = 72,    // offset and count
    kRank = 88,
    kChunk = 96,  // offset and size
    kRecordSize = 112,
};
enum Piece : uint64_t { kAddress = 0, kPieceSize = 8, kMask = 16, kKept = 20, kOffset = 24 };

constexpr uint64_t kMostDimensions = 32;

class Writer {
public:
    uint64_t size() const { return bytes_.size(); }
    void reserve_zeros(uint64_t size) { bytes_.resize(bytes_.size() + size); }
    void put(uint64_t offset, const void* value, size_t size) {
        std::memcpy(bytes_.data() + offset, value, size);
    }
    void put(uint64_t offset, uint64_t number) { put(offset, &number, sizeof number); }
    // At the end; says where in two numbers.
    void append(uint64_t where, const void* values, size_t size) {
        put(where, bytes_.size());
        put(where + 8, size);
        const uint64_t offset = bytes_.size();
        reserve_zeros((size + 7) / 8 * 8);
        if (size > 0) put(offset, values, size);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

void append_pieces(Writer& out, uint64_t record, const std::vector<MissingPiece>& pieces) {
    const uint64_t rank = pieces.empty() ? 0 : pieces.front().offset.size();
    const uint64_t size = kOffset + 8 * rank;
    uint64_t at = out.size();
    out.put(record + kPieces, at);
    out.put(record + kPieces + 8, pieces.size());
    out.put(record + kRank, rank);
    out.reserve_zeros(size * pieces.size());
    for (const MissingPiece& piece : pieces) {
        const uint32_t kept = piece.is_kept ? 1 : 0;
        out.put(at + kAddress, piece.address);
        out.put(at + kPieceSize, piece.size);
        out.put(at + kMask, &piece.mask, sizeof piece.mask);
        out.put(at + kKept, &kept, sizeof kept);
        for (uint64_t i = 0; i < rank; ++i) out.put(at + kOffset + 8 * i, piece.offset[i]);
        at += size;
    }
}

uint64_t own_checksum(std::span<const std::byte> bytes) {
    Checksum made;
    made.add(bytes.subspan(kOwnChecksum + 8));
    return made.value();
}

}  // namespace

std::string missing_data_path(const std::string& directory, const std::string& copy) {
    return directory + "/" + kMissingData + "/" + copy;
}

std::vector<std::byte> encode_missing(const OriginalFile& original,
                                      const std::vector<MissingDataset>& datasets) {
    std::vector<const MissingDataset*> sorted;
    for (const MissingDataset& dataset : datasets) sorted.push_back(&dataset);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* left, const auto* right) { return left->place < right->place; });
    Writer out;
    out.reserve_zeros(kHeaderSize);
    out.put(0, kMagic);
    out.put(kSize, original.size);
    out.put(kModified, original.modified);
    out.put(kChecksum, original.checksum);
    out.put(kWholeChecksum, original.whole_checksum);
    out.append(kPath, original.path.data(), original.path.size());
    static_assert(sizeof(ByteRange) == 16);
    out.append(kRanges, original.headers.data(), original.headers.size() * sizeof(ByteRange));
    out.put(kRanges + 8, original.headers.size());
    const uint64_t first = out.size();
    out.put(kDatasets, first);
    out.put(kDatasets + 8, sorted.size());
    out.reserve_zeros(kRecordSize * sorted.size());
    uint64_t record = first;
    for (const MissingDataset* dataset : sorted) {
        out.put(record + kPlace, dataset->place.data(), dataset->place.size());
        out.put(record + kToken, dataset->token.data(), dataset->token.size());
        out.put(record + kStored, dataset->stored);
        out.append(record + kName, dataset->path.data(), dataset->path.size());
        out.append(record + kCreation, dataset->creation.data(), dataset->creation.size());
        append_pieces(out, record, dataset->pieces);
        out.append(record + kChunk, dataset->chunk.data(), 8 * dataset->chunk.size());
        record += kRecordSize;
    }
    std::vector<std::byte> bytes = out.take();
    const uint64_t checksum = own_checksum(bytes);
    std::memcpy(bytes.data() + kOwnChecksum, &checksum, sizeof checksum);
    return bytes;
}

Result<MissingData> MissingData::read(std::span<const std::byte> bytes) {
    MissingData made(bytes);
    if (bytes.size() < kHeaderSize || made.number_at(0) != kMagic)
        return Error{"it does not begin as such a file does"};
    if (made.number_at(kOwnChecksum) != own_checksum(bytes))
        return Error{"its bytes are not those that were written"};
    const uint64_t count = made.number_at(kDatasets + 8);
    if (count > bytes.size() / kRecordSize ||
        made.part(made.number_at(kDatasets), count * kRecordSize).size() != count * kRecordSize)
        return Error{"it ends too early"};
    made.count_ = count;
    return made;
}

// Nothing where there is not so much.
std::span<const std::byte> MissingData::part(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
    return bytes_.subspan(offset, size);
}

uint64_t MissingData::number_at(uint64_t offset) const {
    uint64_t number = 0;
    const auto found = part(offset, sizeof number);
    if (!found.empty()) std::memcpy(&number, found.data(), sizeof number);
    return number;
}

std::string MissingData::text_at(uint64_t offset) const {
    const auto found = part(number_at(offset), number_at(offset + 8));
    return {reinterpret_cast<const char*>(found.data()), found.size()};
}

OriginalFile MissingData::original() const {
    OriginalFile made;
    made.path = text_at(kPath);
    made.size = number_at(kSize);
    made.modified = number_at(kModified);
    made.checksum = number_at(kChecksum);
    made.whole_checksum = number_at(kWholeChecksum);
    const uint64_t count = number_at(kRanges + 8);
    if (count > bytes_.size() / sizeof(ByteRange)) return made;
    const auto ranges = part(number_at(kRanges), count * sizeof(ByteRange));
    made.headers.resize(ranges.size() / sizeof(ByteRange));
    if (!ranges.empty()) std::memcpy(made.headers.data(), ranges.data(), ranges.size());
    return made;
}

uint64_t MissingData::record_at(size_t number) const {
    return number_at(kDatasets) + number * kRecordSize;
}

MissingDataset MissingData::dataset(size_t number) const {
    MissingDataset made = without_pieces(number);
    made.pieces = pieces(number);
    return made;
}

MissingDataset MissingData::without_pieces(size_t number) const {
    MissingDataset made;
    const uint64_t record = record_at(number);
    std::memcpy(made.place.data(), part(record + kPlace, 16).data(), made.place.size());
    std::memcpy(made.token.data(), part(record + kToken, 16).data(), made.token.size());
    made.stored = number_at(record + kStored);
    made.path = text_at(record + kName);
    const auto creation = part(number_at(record + kCreation), number_at(record + kCreation + 8));
    made.creation.assign(creation.begin(), creation.end());
    const auto chunk = part(number_at(record + kChunk), number_at(record + kChunk + 8));
    for (uint64_t i = 0; i + 8 <= chunk.size() && i < 8 * kMostDimensions; i += 8)
        made.chunk.push_back(number_at(number_at(record + kChunk) + i));
    return made;
}

MissingData::PieceList MissingData::piece_list(size_t number) const {
    const uint64_t record = record_at(number);
    PieceList list{};
    list.offset = number_at(record + kPieces);
    list.rank = std::min(number_at(record + kRank), kMostDimensions);
    if (list.offset > bytes_.size()) return list;
    const uint64_t most = (bytes_.size() - list.offset) / (kOffset + 8 * list.rank);
    list.count = std::min(number_at(record + kPieces + 8), most);
    return list;
}

std::vector<MissingPiece> MissingData::pieces(size_t number) const {
    const PieceList list = piece_list(number);
    std::vector<MissingPiece> made(list.count);
    uint64_t at = list.offset;
    for (MissingPiece& piece : made) {
        piece.address = number_at(at + kAddress);
        piece.size = number_at(at + kPieceSize);
        const uint64_t flags = number_at(at + kMask);
        piece.mask = static_cast<uint32_t>(flags);
        piece.is_kept = flags >> 32 != 0;
        for (uint64_t d = 0; d < list.rank; ++d)
            piece.offset.push_back(number_at(at + kOffset + 8 * d));
        at += kOffset + 8 * list.rank;
    }
    return made;
}

size_t MissingData::find(const std::array<uint8_t, 16>& place) const {
    const uint64_t first = number_at(kDatasets);
    size_t low = 0, high = count_;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const auto found = part(first + middle * kRecordSize + kPlace, place.size());
        const int order = std::memcmp(found.data(), place.data(), place.size());
        if (order == 0) return middle;
        order < 0 ? low = middle + 1 : high = middle;
    }
    return count_;
}

}  // namespace quarry
