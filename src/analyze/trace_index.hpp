// The first walk over a trace: who and what is in it, and which bytes belong to which object.
#pragma once

#include <memory>
#include <quarry/trace.hpp>
#include <unordered_map>

#include "analyze/address_map.hpp"
#include "trace/reader.hpp"

namespace quarry::analyze {

// What the numbers in one process's file stand for. A forked process knows its parent's, too.
struct ProcessTables {
    std::unique_ptr<trace::ProcessFile> file;
    const ProcessTables* parent = nullptr;
    uint32_t process = kNobody;
    int64_t to_realtime = 0;  // added to a monotonic time
    std::unordered_map<uint32_t, std::string> texts;
    std::unordered_map<uint32_t, uint32_t> storages;    // number -> file
    std::unordered_map<uint32_t, uint32_t> others;      // the same for files used without HDF5
    std::unordered_map<uint32_t, uint32_t> objects;     // number -> object
    std::unordered_map<uint32_t, uint32_t> operations;  // number -> object, where I/O lacks it

    std::string text(uint32_t number) const;
    uint32_t file_of(uint32_t storage) const;
    uint32_t other_file_of(uint32_t number) const;
    // Whether HDF5 has it open in this process: what is seen of it besides are HDF5's own calls.
    bool opens_as_hdf5(uint32_t number) const;
    uint32_t object_of(uint32_t number) const;
    uint32_t object_of_operation(uint32_t operation) const;
};

struct TraceIndex {
    TraceFacts facts;
    std::vector<std::unique_ptr<ProcessTables>> processes;
    std::vector<AddressMap> addresses;      // of each file
    std::map<std::string, uint32_t> tasks;  // by name

    uint32_t task_named(const std::string& name) const;
    // A forked process goes on with its parent's task until it says otherwise.
    uint32_t first_task_of(const ProcessTables& process) const;
};

Result<TraceIndex> index_trace(const std::string& directory);

}  // namespace quarry::analyze
