#include "analyze/completeness.hpp"

#include <algorithm>

namespace quarry::analyze {
namespace {

std::string what_is_unknown(const TraceIndex& index) {
    for (const auto& tables : index.processes) {
        const ProcessFacts& process = index.facts.processes[tables->process];
        if (!process.incomplete.empty()) return process.incomplete;
        if (tables->file->header().level < static_cast<uint8_t>(RecordLevel::Io))
            return "it was recorded with a --level that leaves out what HDF5 reads";
    }
    return index.facts.problems.empty() ? "" : index.facts.problems.front();
}

}  // namespace

std::optional<Error> why_reads_are_unknown(const TraceIndex& index) {
    const std::string unknown = what_is_unknown(index);
    if (unknown.empty()) return std::nullopt;
    return Error{"The trace " + index.facts.directory + " does not tell all that was read: " +
                 unknown + (unknown.ends_with('.') ? "" : ".") + " Record again."};
}

std::optional<Error> why_other_files_are_unknown(const TraceIndex& index) {
    const auto is_without = [](const auto& tables) {
        return tables->file->header().files == static_cast<uint8_t>(trace::Files::NotRecorded);
    };
    if (!std::all_of(index.processes.begin(), index.processes.end(), is_without))
        return std::nullopt;
    return Error{"The trace " + index.facts.directory +
                 " does not tell which files other than HDF5 were used: it was recorded with "
                 "--no-files. Record again without that."};
}

}  // namespace quarry::analyze
