// Writes an HDF5 file anew: to every reader the same file, but for the data of datasets that are
// not wanted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry::hdf5 {

struct CopiedDataset {
    std::array<uint8_t, 16> token{};  // its identity in the old file
    std::vector<std::string> paths;   // all that lead to it
    uint64_t stored = 0;              // bytes that its data takes in the old file
    bool is_scale = false;            // of other datasets
    bool is_virtual = false;          // its data is that of others
    bool is_hollow = false;
    std::string remark;  // why it is not hollow though it was not wanted
};

struct CopyOrder {
    // Whether the data of a dataset is wanted, told all but the last two.
    std::function<bool(const CopiedDataset&)> is_wanted;
    // Told of the bytes of data that have been gone through.
    std::function<void(uint64_t bytes)> progress;
};

// Those of a file, as they are.
Result<std::vector<CopiedDataset>> datasets_in(const std::string& file);

// `to` must not exist, and is there only if this succeeds.
Result<std::vector<CopiedDataset>> copy_file(const std::string& from, const std::string& to,
                                             const CopyOrder& order);

}  // namespace quarry::hdf5
