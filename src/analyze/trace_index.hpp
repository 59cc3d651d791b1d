// The first walk over a trace: who and what is in it, and which bytes belong to which object.
#pragma once

#include <map>
#include <memory>
#include <quarry/trace.hpp>
#include <set>
#include <string>
#include <vector>

#include "analyze/address_map.hpp"
#include "analyze/external_data.hpp"
#include "analyze/process_tables.hpp"

namespace quarry::analyze {

struct TraceIndex {
    TraceFacts facts;
    std::vector<std::unique_ptr<ProcessTables>> processes;
    std::vector<AddressMap> addresses;      // of each file
    std::map<std::string, uint32_t> tasks;  // by name

    std::map<std::string, uint32_t> files_by_path;
    std::map<std::string, std::set<uint32_t>> files_by_name;               // without a directory
    std::map<std::pair<uint32_t, std::string>, uint32_t> objects_by_path;  // and file
    // Datasets whose data lies in other files, and which files those are.
    struct External {
        ExternalData data;
        std::vector<uint32_t> files;
    };
    std::map<uint32_t, External> externals;

    // The object that a mapping of a virtual dataset names; kNobody if HDF5 has not opened its
    // file.
    uint32_t source_of(const ProcessTables& process, const trace::Derived& record) const;
    bool has_source_file(const ProcessTables& process, const trace::Derived& record) const;
    // Whether the trace knows no other file with the last part of this name: where HDF5 looks for
    // those that are named in others depends on prefixes, and on where the program was by then.
    bool is_only_one_named(const std::string& name) const;
    // For one that is named by a dataset: all with that name that were used, or else itself.
    std::set<uint32_t> files_meant_by(uint32_t file) const;
    // A file that is named in another one: beside it, or where the process was started.
    uint32_t file_named(const std::string& name, uint32_t in_file,
                        const ProcessTables& process) const;

    uint32_t root_of(uint32_t file) const;

    uint32_t task_named(const std::string& name) const;
    // A forked process goes on with its parent's task until it says otherwise.
    uint32_t first_task_of(const ProcessTables& process) const;
};

Result<TraceIndex> index_trace(const std::string& directory);

}  // namespace quarry::analyze
