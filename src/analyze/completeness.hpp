// Whether a trace tells all that was read.
#pragma once

#include <optional>

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

// Why it does not; nothing if it does.
std::optional<Error> why_reads_are_unknown(const TraceIndex& index);

// The same for the use of files other than HDF5. Single processes that were not seen are named
// elsewhere.
std::optional<Error> why_other_files_are_unknown(const TraceIndex& index);

}  // namespace quarry::analyze
