// Which task depends on which, through which data.
#pragma once

#include <quarry/trace.hpp>

namespace quarry {

// What a task did with the data of a dataset, in bytes of different elements: reading the same one
// twice counts once. Times are nanoseconds since 1970, 0 where there was nothing.
struct DataUse {
    uint32_t task = kNobody;
    uint32_t object = kNobody;
    uint64_t written = 0;
    uint64_t read = 0;
    uint64_t overwritten = 0;  // after the task itself had read them
    uint64_t first_write = 0;
    uint64_t last_write = 0;
    uint64_t first_read = 0;
    uint64_t last_read = 0;
};

enum class FlowKind : uint8_t {
    Data,      // elements of a dataset
    Metadata,  // attributes, links, properties
    File,      // bytes that went into a file, or came out of it, without HDF5
};
const char* name_of(FlowKind kind);

// The consumer has read what the producer was the last to write before. A task may be both.
struct DataFlow {
    uint32_t producer = kNobody;
    uint32_t consumer = kNobody;
    uint32_t file = kNobody;
    uint32_t object = kNobody;  // kNobody for the file as a whole
    FlowKind kind = FlowKind::Data;
    uint64_t bytes = 0;  // of different elements; of a file without HDF5, what was read
};

// Which parts of a dataset were read, seen on two of its dimensions.
struct HeatMap {
    struct Axis {
        uint32_t dimension = 0;
        uint64_t size = 1;
        uint32_t parts = 1;
    };
    uint32_t object = kNobody;
    std::vector<uint64_t> shape;  // the largest that it had
    Axis rows;
    Axis columns;
    // Of each cell, row by row: which part of its elements was read, and how often each was read on
    // average.
    std::vector<double> share;
    std::vector<double> times;
};

struct Dataflow {
    TraceSummary summary;
    std::vector<DataUse> uses;  // in the order of their objects
    std::vector<DataFlow> flows;
    // For each dataset the bytes of different elements that anybody has written, and read.
    struct Total {
        uint64_t written = 0;
        uint64_t read = 0;
    };
    std::vector<Total> totals;       // by object
    std::vector<uint32_t> stages;    // of each task: through how many others its data came
    std::vector<HeatMap> heat_maps;  // of the datasets of which most was read, these first
};

Result<Dataflow> dataflow_of_trace(const std::string& directory, uint64_t region_size = 0);

}  // namespace quarry
