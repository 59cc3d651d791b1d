// The formats of `quarry export`, each given every event of a trace.
#pragma once

#include <cstdio>

#include "analyze/event.hpp"

namespace quarry::analyze {

void write_jsonl(const TraceIndex& index, std::FILE* out);
void write_csv(const TraceIndex& index, std::FILE* out);
// As Chrome's tracing and Perfetto read it.
void write_chrome(const TraceIndex& index, std::FILE* out);

}  // namespace quarry::analyze
