// Follows the data from task to task.
#pragma once

#include <quarry/dataflow.hpp>

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

Dataflow dataflow_of(TraceIndex&& index, uint64_t region_size);

}  // namespace quarry::analyze
