// Where paths in a file lead, also over links.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hdf5/object_token.hpp"

namespace quarry::hdf5 {

struct FoundDataset {
    ObjectToken token{};
    std::string file;  // where it lies, if that is another
};

// By path; without those that lead nowhere.
std::map<std::string, FoundDataset> find_datasets(const std::string& file,
                                                  const std::vector<std::string>& paths);

}  // namespace quarry::hdf5
