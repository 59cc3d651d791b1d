// What the numbers in one process's file of a trace stand for.
#pragma once

#include <map>
#include <memory>
#include <quarry/trace.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/reader.hpp"

namespace quarry::analyze {

// A forked process knows its parent's, too.
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
    // Operation on several datasets -> those of them that have chunks, and so an index to be read.
    std::unordered_map<uint32_t, std::vector<uint32_t>> indexed;
    // Operation and file -> the source of a virtual dataset there; kNobody if there are several.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> sources;

    uint64_t realtime(uint64_t monotonic) const {
        return monotonic + static_cast<uint64_t>(to_realtime);
    }
    std::string text(uint32_t number) const;
    uint32_t file_of(uint32_t storage) const;
    uint32_t other_file_of(uint32_t number) const;
    // Whether HDF5 has it open in this process: what is seen of it besides are HDF5's own calls.
    bool opens_as_hdf5(uint32_t number) const;
    uint32_t object_of(uint32_t number) const;
    uint32_t object_of_operation(uint32_t operation) const;
    std::span<const uint32_t> indexed_in(uint32_t operation) const;
    uint32_t source_of(uint32_t operation, uint32_t file) const;

    // There has been I/O of this operation, and not yet a record that tells its object.
    void await_object_of(uint32_t operation);
    // Whose an operation was that had begun before its object was known.
    void settle(uint32_t operation, uint32_t object);
};

}  // namespace quarry::analyze
