// How the data of each object was moved, beyond what a summary counts.
#pragma once

#include <map>

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

struct Measure {
    uint64_t raw_reads = 0;  // I/Os of raw data
    uint64_t raw_writes = 0;
    uint64_t raw_bytes_read = 0;
    uint64_t raw_bytes_written = 0;
    uint64_t unique_bytes_read = 0;
    uint64_t small = 0;
    uint64_t misaligned = 0;
    uint64_t random = 0;       // neither behind the one before nor as far from it as that was
    uint64_t places_read = 0;  // different addresses
    uint64_t places_written = 0;
    uint64_t raw_time = 0;  // nanoseconds
    uint64_t most_ios_in_call = 0;
    uint64_t ios_in_large_calls = 0;  // of calls with more than Limits::ios_per_call
    uint64_t large_calls = 0;
    uint64_t extensions = 0;
    uint64_t attributes = 0;     // different names
    uint64_t chunk_cache = 0;    // what HDF5 keeps of a dataset by default
    uint64_t elements_read = 0;  // in regular parts, and in the boxes around these
    uint64_t boxed_elements_read = 0;
    std::map<std::vector<uint64_t>, uint64_t> shapes_read;  // of the parts that were asked for
    // By fingerprint the bytes of pieces whose values were looked at.
    std::map<uint64_t, uint64_t> contents_read;
    std::map<uint64_t, uint64_t> contents_written;
    // Of the values of variable length that were written.
    uint64_t lengths = 0;
    uint64_t longest = 0;
    uint64_t total_length = 0;
};

struct Limits {
    uint64_t small_bytes;
    uint64_t alignment;
    uint64_t ios_per_call;
};

struct MeasureKey {
    uint32_t task;
    uint32_t object;
    auto operator<=>(const MeasureKey&) const = default;
};

std::map<MeasureKey, Measure> measure(const TraceIndex& index, const Limits& limits);

}  // namespace quarry::analyze
