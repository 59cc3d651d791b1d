// Whether a file is the original that another was carved from.
#pragma once

#include <sys/stat.h>

#include "model/missing_data.hpp"

namespace quarry {

// As far as can be told without reading it.
bool looks_like(const struct stat& status, const OriginalFile& original);

// By which carved copies of it are told from those of other files, and of what it was before.
uint64_t mark_of(const OriginalFile& original);

// Why an open file is not the original, or might not be; empty if it is.
std::string difference_from(const OriginalFile& original, int file, bool is_paranoid);

}  // namespace quarry
