// What the records of processes define: files, objects and tasks, and which bytes are whose.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

using FileKey = std::tuple<uint64_t, uint64_t, uint64_t, std::string>;

// What is the same although different processes have met it.
struct Shared {
    TraceIndex index;
    std::map<FileKey, uint32_t> files;
    std::map<std::pair<uint32_t, std::array<uint8_t, 16>>, uint32_t> objects;
    std::unordered_map<std::string, ProcessTables*> by_name;
    std::unordered_map<uint32_t, uint64_t> bases;  // of files that begin with a user block
    std::set<uint32_t> unmet_files;  // that hold data of datasets, and that no record is about yet
    std::set<uint32_t> unmet;  // objects that follow from others, and that nobody has opened yet

    // What can be told only when all objects are known.
    struct Opening {
        ProcessTables* process;
        uint32_t operation;
        uint32_t file;
    };
    struct Room {
        ProcessTables* process;
        trace::Allocated record;
    };
    std::vector<Opening> openings;
    std::vector<Room> rooms;

    uint32_t object_at(uint32_t file, const std::string& path, ObjectKind kind);
};

struct Defined {
    trace::Damage damage;
    uint64_t last = 0;  // monotonic time of the last that any record tells of
};

// Goes through the records of one process, whose tables these are.
Defined read_definitions(Shared& shared, ProcessTables& tables, const trace::ProcessFile& file);

}  // namespace quarry::analyze
