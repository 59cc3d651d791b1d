// What is wasted in a trace, what it costs, and what to type to mend it.
#pragma once

#include <quarry/dataflow.hpp>

namespace quarry {

// When a finding is worth saying; docs/findings.md tells what each is for.
#define QUARRY_THRESHOLDS(X)        \
    X(small_request_bytes, 1048576) \
    X(small_request_share, 0.1)     \
    X(small_requests, 1000)         \
    X(random_share, 0.2)            \
    X(random_requests, 1000)        \
    X(alignment_bytes, 4096)        \
    X(misaligned_share, 0.1)        \
    X(misaligned_requests, 1000)    \
    X(redundancy, 1.5)              \
    X(redundant_bytes, 1048576)     \
    X(amplification, 4)             \
    X(amplified_bytes, 1048576)     \
    X(scattered_datasets, 16)       \
    X(scattered_bytes, 500)         \
    X(small_dataset_bytes, 1048576) \
    X(partly_used_share, 0.5)       \
    X(partly_used_bytes, 1048576)   \
    X(kept_bytes, 1048576)          \
    X(consumers, 2)                 \
    X(late_share, 0.5)              \
    X(tiny_chunk_bytes, 16384)      \
    X(tiny_chunks, 1000)            \
    X(chunk_decodes, 2)             \
    X(chunk_shape_ratio, 4)         \
    X(opens, 50)                    \
    X(ios_per_call, 64)             \
    X(metadata_share, 0.5)          \
    X(metadata_ios, 100)            \
    X(chunk_rewrites, 2)            \
    X(attributes, 1000)             \
    X(links, 100000)                \
    X(rolling_files, 4)             \
    X(copied_share, 0.9)            \
    X(vlen_values, 100)             \
    X(vlen_ratio, 1.25)             \
    X(free_share, 0.2)              \
    X(free_bytes, 1048576)          \
    X(cloud_metadata_reads, 1000)

struct Thresholds {
#define QUARRY_THRESHOLD(name, value) double name = value;
    QUARRY_THRESHOLDS(QUARRY_THRESHOLD)
#undef QUARRY_THRESHOLD
};

// The defaults with what a JSON object of names and numbers changes.
Result<Thresholds> thresholds_from_json(const std::string& text);
std::string thresholds_as_json(const Thresholds& thresholds);

enum class Severity : uint8_t { Low, Medium, High };
const char* name_of(Severity severity);

// What mending it would save, as far as the trace tells.
struct Saving {
    uint64_t operations = 0;
    uint64_t bytes = 0;
    double seconds = 0;
};

struct Finding {
    std::string id;  // of the rule: short, and never changed
    Severity severity = Severity::Low;
    std::string sentence;  // what is the matter, with its evidence
    std::string fix;       // what to type or to change
    uint32_t file = kNobody;
    std::vector<uint32_t> objects;
    std::vector<uint32_t> tasks;
    Saving saving;
};

struct Rule {
    const char* id;
    const char* sentence;
};
const std::vector<Rule>& all_rules();

struct Advice {
    Dataflow flow;
    std::vector<Finding> findings;  // what saves most comes first
};

Result<Advice> advise(const std::string& directory, const Thresholds& thresholds,
                      uint64_t region_size = 0);

}  // namespace quarry
