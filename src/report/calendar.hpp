// Moments as XML Schema, PROV and schema.org write them.
#pragma once

#include <cstdint>
#include <string>

namespace quarry::report {

// "2026-11-15T17:55:00.123456Z" of nanoseconds since 1970.
std::string calendar_text(uint64_t nanoseconds);

}  // namespace quarry::report
