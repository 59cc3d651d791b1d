// How well a dataset would compress in other chunks, tried on parts of it.
#pragma once

#include <cstdint>
#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry::hdf5 {

// Stored bytes for each byte of data, with the filters that the dataset has.
Result<double> compressed_share(const std::string& file, const std::string& dataset,
                                const std::vector<uint64_t>& chunks);

}  // namespace quarry::hdf5
