// The formats of `quarry export`, each given every event of a trace.
#pragma once

#include <cstdio>

#include "analyze/event.hpp"

namespace quarry::analyze {

void write_jsonl(const TraceIndex& index, std::FILE* out, const Progress& progress);
void write_csv(const TraceIndex& index, std::FILE* out, const Progress& progress);
// As Chrome's tracing and Perfetto read it.
void write_chrome(const TraceIndex& index, std::FILE* out, const Progress& progress);

}  // namespace quarry::analyze
