// A file of the trace that says one thing only.
#pragma once

#include <string_view>

#include "trace/records.hpp"

namespace quarry::trace {

// For a child that works in its parent's memory: takes none, and keeps nothing. False with errno.
bool record_alone(const char* directory, RecordLevel level, UnseenReason reason,
                  std::string_view program) noexcept;

}  // namespace quarry::trace
