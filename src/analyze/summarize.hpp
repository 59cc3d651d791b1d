// Counts what every task did with every object.
#pragma once

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

TraceSummary summarize(TraceIndex&& index);

}  // namespace quarry::analyze
