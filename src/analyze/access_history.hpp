// What every task did with every object and file, in the order in which each process did it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

// One access, with its selection as the trace has it: there may be millions.
struct DataAccess {
    uint64_t time;
    uint64_t elements;
    uint32_t task;
    size_t selection_at;  // in `selections`
    uint32_t selection_size;
    bool writes;
    bool is_linear;
};

struct Shape {
    uint64_t time;
    std::vector<uint64_t> sizes;
};

struct DatasetHistory {
    uint64_t element_size = 0;
    std::vector<Shape> shapes;
    std::vector<DataAccess> accesses;
    std::vector<std::byte> selections;
};

// Anything that needs no more than the order: metadata of an object, a file without HDF5.
struct PlainAccess {
    uint64_t time;
    uint32_t task;
    uint64_t written;
    uint64_t read;
    bool writes;
    bool reads;
    bool begins;  // what was there before is gone
};

struct History {
    std::map<uint32_t, DatasetHistory> datasets;                // by object
    std::map<uint32_t, std::vector<PlainAccess>> metadata;      // by object
    std::map<uint32_t, std::vector<PlainAccess>> without_hdf5;  // by file
};

History history_of(const TraceIndex& index);

}  // namespace quarry::analyze
