// What is found in a trace, for the terminal.
#pragma once

#include <quarry/report.hpp>

#include "terminal.hpp"

namespace quarry::cli {

// The first `most` findings; all for 0.
std::string findings_text(const Advice& advice, size_t most, const Style& style);

// What ran, what each task moved, what matters most, and what is to be taken with care.
std::string overview_text(const Advice& advice, const Style& style);

}  // namespace quarry::cli
