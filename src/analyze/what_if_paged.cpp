#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <quarry/what_if.hpp>

#include "analyze/credit.hpp"
#include "analyze/page_buffer.hpp"
#include "hdf5/raw_pieces.hpp"

namespace quarry {
namespace {

using namespace analyze;

struct Read {
    uint64_t address;
    uint64_t size;
    enum Kind : uint8_t { Superblock, Metadata, Raw, Opening } kind;
};

// What was read of one file, in the order of its processes, with where it was opened in between.
class Collecting {
public:
    Collecting(const ProcessTables& tables, uint32_t file, std::vector<Read>& reads)
        : tables_(tables), file_(file), reads_(reads) {}

    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        if (tables_.file_of(record.storage) == file_) reads_.push_back({0, 0, Read::Opening});
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        constexpr auto kLeftOut = trace::kIoWrite | trace::kIoFailed;
        if (tables_.file_of(record.storage) != file_ || (record.prefix.flags & kLeftOut) != 0)
            return;
        const Read::Kind kind = record.memory == kSuperblock ? Read::Superblock
                                : record.memory == kRawData  ? Read::Raw
                                                             : Read::Metadata;
        reads_.push_back({record.address, record.size, kind});
    }

private:
    const ProcessTables& tables_;
    uint32_t file_;
    std::vector<Read>& reads_;
};

// Where everything comes to lie in pages: metadata in some, small pieces of raw data, which do not
// cross their borders, in others.
class Pages {
public:
    Pages(uint64_t size, const std::vector<hdf5::RawPiece>& pieces) : size_(size) {
        uint64_t raw = 0;
        uint64_t small = 0;
        for (const hdf5::RawPiece& piece : pieces) {
            if (piece.size < size) {
                if (small % size + piece.size > size) small += size - small % size;
                pieces_.push_back({piece.address, raw, small / size});
                small += piece.size;
            } else {
                pieces_.push_back({piece.address, raw, 0});
            }
            raw += piece.size;
        }
        raw_ = raw;
    }

    uint64_t of_raw(uint64_t address) const {
        const auto piece = piece_at(address);
        return piece != pieces_.end() ? piece->page : 0;
    }

    // All that is no raw data.
    uint64_t of_metadata(uint64_t address) const {
        const auto piece = piece_at(address);
        if (piece == pieces_.end()) return address / size_;
        const auto next = std::next(piece);
        const uint64_t raw_before = next != pieces_.end() ? next->raw_before : raw_;
        return (address - std::min(address, raw_before)) / size_;
    }

private:
    struct Piece {
        uint64_t address;
        uint64_t raw_before;
        uint64_t page;
    };

    // The last that begins there or before; none before the first.
    std::vector<Piece>::const_iterator piece_at(uint64_t address) const {
        const auto after = std::upper_bound(
            pieces_.begin(), pieces_.end(), address,
            [](uint64_t value, const Piece& piece) { return value < piece.address; });
        return after != pieces_.begin() ? std::prev(after) : pieces_.end();
    }

    uint64_t size_;
    uint64_t raw_ = 0;
    std::vector<Piece> pieces_;
};

// As far as the trace tells: what was read.
std::vector<hdf5::RawPiece> pieces_read(const std::vector<Read>& reads) {
    std::map<uint64_t, uint64_t> sizes;
    for (const Read& read : reads)
        if (read.kind == Read::Raw) sizes[read.address] = std::max(sizes[read.address], read.size);
    std::vector<hdf5::RawPiece> pieces;
    for (const auto& [address, size] : sizes) pieces.push_back({address, size});
    return pieces;
}

Result<uint32_t> find_file(const TraceFacts& facts, const std::string& name) {
    uint32_t found = kNobody;
    for (uint32_t file = 0; file < facts.files.size(); ++file) {
        const FileFacts& one = facts.files[file];
        if (one.driver.empty() || !one.path.ends_with(name)) continue;
        if (found != kNobody)
            return Error{fmt::format("{} and {} are both in the trace: say which with --file.",
                                     facts.files[found].path, one.path)};
        found = file;
    }
    if (found == kNobody)
        return Error{
            fmt::format("There is no HDF5 file {} in the trace {}.", name, facts.directory)};
    return found;
}

}  // namespace

Result<PagedPrediction> what_if_paged(const std::string& directory, const std::string& name,
                                      uint64_t page_size, uint64_t buffer_size) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    const auto file = find_file(index->facts, name);
    if (!file) return file.error();
    std::vector<Read> reads;
    for (const auto& tables : index->processes) {
        reads.push_back({0, 0, Read::Opening});
        tables->file->each(Collecting(*tables, *file, reads));
    }
    PagedPrediction prediction;
    prediction.file = index->facts.files[*file].path;
    prediction.page_size = page_size;
    prediction.buffer_size = buffer_size;
    const auto pieces = hdf5::raw_pieces_in(prediction.file);
    if (!pieces)
        prediction.caution = fmt::format(
            "What else is in the file could not be seen ({}): it is taken to hold no other data "
            "than "
            "what was read.",
            pieces.error().message);
    const Pages pages(page_size, pieces ? *pieces : pieces_read(reads));
    PageBuffer buffer(std::max<uint64_t>(buffer_size / page_size, 1));
    for (const Read& read : reads) {
        if (read.kind == Read::Opening) {
            buffer.clear();
            continue;
        }
        ++prediction.measured.reads;
        prediction.measured.bytes_read += read.size;
        // The superblock is read before there are pages; large pieces are not kept in them.
        if (read.kind == Read::Superblock || (read.kind == Read::Raw && read.size >= page_size)) {
            ++prediction.predicted.reads;
            prediction.predicted.bytes_read += read.size;
            continue;
        }
        const bool is_raw = read.kind == Read::Raw;
        const uint64_t page = is_raw ? pages.of_raw(read.address) : pages.of_metadata(read.address);
        if (!buffer.misses(2 * page + (is_raw ? 1 : 0))) continue;
        ++prediction.predicted.reads;
        prediction.predicted.bytes_read += page_size;
    }
    return prediction;
}

}  // namespace quarry
