// What the header of a process's file of a trace says of the process, and how much of it is there.
#pragma once

#include <quarry/trace.hpp>

#include "trace/reader.hpp"

namespace quarry::analyze {

// `parent` is null for one that was not forked, or whose parent's file is not there.
ProcessFacts facts_in(const trace::Header& header, const ProcessFacts* parent);

// What the file lacks, as problems.
void report_losses(TraceFacts& facts, const trace::ProcessFile& file, const trace::Damage& damage);

}  // namespace quarry::analyze
