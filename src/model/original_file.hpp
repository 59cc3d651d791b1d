// Whether a file is the original that another was carved from.
#pragma once

#include <sys/stat.h>

#include "model/missing_data.hpp"

namespace quarry {

// As far as can be told without reading it.
bool looks_like(const struct stat& status, const OriginalFile& original);

// Why an open file is not the original, or might not be; empty if it is.
std::string difference_from(const OriginalFile& original, int file, bool is_paranoid);

}  // namespace quarry
