// Where a path in a file leads, also over links.
#pragma once

#include <optional>
#include <string>

#include "hdf5/copy_file.hpp"

namespace quarry::hdf5 {

struct FoundDataset {
    ObjectToken token{};
    // Where it lies, if that is another file.
    std::string file;
    std::string path;
};

// Nothing if it leads nowhere.
std::optional<FoundDataset> find_dataset(const std::string& file, const std::string& path);

}  // namespace quarry::hdf5
