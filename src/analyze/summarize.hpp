// Counts what every task did with every object.
#pragma once

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

TraceSummary summarize(TraceIndex&& index, uint64_t region_size);

}  // namespace quarry::analyze
