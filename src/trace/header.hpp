// The header of this process's file of a trace.
#pragma once

#include "trace/format.hpp"

namespace quarry::trace {

// All but the magic, which makes it a trace. Needs no memory.
void fill_header(Header& header, const char* forked_from, RecordLevel level) noexcept;

}  // namespace quarry::trace
