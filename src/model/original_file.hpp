// Whether a file is the original that another was carved from.
#pragma once

#include <sys/stat.h>

#include "model/missing_data.hpp"

namespace quarry {

// As far as can be told without reading it.
bool looks_like(const struct stat& status, const OriginalFile& original);

// By which carved copies of it are told from those of other files, and of what it was before.
uint64_t mark_of(const OriginalFile& original);

// Why a file cannot be taken for the original, and what to do about that, in sentences.
struct WhyNotOriginal {
    std::string what{};  // empty if it can
    std::string advice{};
};
// To look at; does not wait if it is a pipe by now. Negative, with errno, if it cannot be.
int open_original(const std::string& place);
WhyNotOriginal why_not_original(const OriginalFile& original, int file, bool is_paranoid);
// Of what is not there, or cannot be opened.
WhyNotOriginal not_there(int error);

}  // namespace quarry
