// What became of the data of files, as `carve` and `explain` tell it.
#pragma once

#include <quarry/carve.hpp>

namespace quarry::cli {

uint64_t left_out(const DatasetFate& dataset);  // bytes
std::string fates_json(const std::vector<FileFate>& files);

}  // namespace quarry::cli
