// Writes an HDF5 file anew: to every reader the same file, but for the data of datasets that are
// not wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <quarry/result.hpp>
#include <span>
#include <string>
#include <vector>

#include "hdf5/file_identity.hpp"
#include "hdf5/needed_data.hpp"
#include "hdf5/object_token.hpp"
#include "hdf5/stored_piece.hpp"

namespace quarry::hdf5 {

enum class Part : uint8_t { Whole, Chunks, Nothing };

struct CopiedDataset {
    ObjectToken token{};             // in the old file
    std::vector<std::string> paths;  // all that lead to it
    uint64_t stored = 0;             // bytes that its data takes in the old file
    bool is_scale = false;           // of other datasets
    bool is_virtual = false;         // its data is that of others

    // What became of it.
    ObjectToken place{};  // in the new file
    Part kept = Part::Whole;
    uint64_t kept_bytes = 0;
    bool is_elsewhere = false;  // its data lies in other files, and is not wanted
    std::string remark;         // why more of it is kept than was wanted
    std::vector<NeededData> needs;

    // Of one that is not kept whole: the properties that it had, as HDF5 encodes them, where its
    // data lies in the old file, and the shape of its chunks.
    std::vector<std::byte> creation;
    std::vector<StoredPiece> pieces;
    std::vector<uint64_t> chunk;
};

struct CopyOrder {
    // Whether a dataset is kept for its own sake, and so with what it needs to be understood.
    std::function<bool(const ObjectToken&, const std::vector<std::string>& paths)> is_chosen;
    // Whether it is left out whatever refers to it.
    std::function<bool(const std::vector<std::string>& paths)> is_dropped;
    // What of a dataset is wanted; it knows all about it that is known before it is copied.
    std::function<Part(const CopiedDataset&)> wanted;
    // Whether a chunk is wanted, of a dataset of which only some are.
    std::function<bool(const CopiedDataset&, std::span<const uint64_t> offset)> wants_chunk;
    // By which this copy is told from those of other files.
    uint64_t mark = 0;
    // Told of the bytes of data that have been gone through.
    std::function<void(uint64_t bytes)> progress;
};

struct CopiedFile {
    std::vector<CopiedDataset> datasets;
    FileIdentity identity;  // of the old file
};

// The datasets of a file, as they are and as they would be copied.
Result<std::vector<CopiedDataset>> plan_copy(const std::string& file, const CopyOrder& order);

// `to` must not exist, and is there only if this succeeds.
Result<CopiedFile> copy_file(const std::string& from, const std::string& to,
                             const CopyOrder& order);

}  // namespace quarry::hdf5
