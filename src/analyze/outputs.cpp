#include <algorithm>
#include <map>
#include <quarry/outputs.hpp>
#include <set>

#include "analyze/completeness.hpp"
#include "analyze/task_visitor.hpp"

namespace quarry {
namespace {

using namespace analyze;

constexpr uint64_t kNever = ~uint64_t{0};

struct Output {
    OutputFile file;
    bool is_opened = false;  // to be written to: it was not open already when the run began
    bool is_written = false;
    // When it was first opened, anew and as it was, in nanoseconds since 1970.
    uint64_t first_made = kNever;
    uint64_t first_found = kNever;
    std::set<std::string> tasks;
};

// By file.
using Outputs = std::map<uint32_t, Output>;

class Writing : public TaskVisitor {
public:
    Writing(const TraceIndex& index, const ProcessTables& tables,
            const std::set<std::string>& wanted, Outputs& outputs)
        : TaskVisitor(index, tables), wanted_(wanted), outputs_(outputs) {}

    using TaskVisitor::operator();
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        if ((record.prefix.flags & trace::kFileFailed) != 0) return;
        Output* output = output_of(tables_.file_of(record.storage));
        if (output == nullptr) return;
        const bool is_made = (record.prefix.flags & trace::kFileCreated) != 0;
        note_opening(*output, record.start, is_made);
        if (is_made) note_writing(*output, record.start, Way::Hdf5);
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        constexpr uint8_t kMatters = trace::kIoFailed | trace::kIoWrite | trace::kIoDiscarded;
        if ((record.prefix.flags & kMatters) != trace::kIoWrite) return;
        Output* output = output_of(tables_.file_of(record.storage));
        if (output == nullptr) return;
        if (output->is_written || (record.prefix.flags & trace::kIoSuperblock) == 0)
            note_writing(*output, record.start + record.duration, Way::Hdf5);
    }
    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        Output* output = output_of(tables_.other_file_of(record.number));
        if (output == nullptr) return;
        const bool is_made = (record.flags & trace::kUseCreated) != 0;
        note_opening(*output, record.opened, is_made);
        constexpr uint8_t kMatters = trace::kUseInherited | trace::kUseWrites;
        if ((record.prefix.flags & kMatters) == trace::kUseWrites) output->is_opened = true;
        if (record.written > 0 || is_made)
            note_writing(*output, std::max(record.opened, record.last), Way::Other);
    }

private:
    enum class Way : uint8_t { Hdf5, Other };

    Output* output_of(uint32_t file) {
        if (file == kNobody || task_ == kNobody) return nullptr;
        if (!wanted_.empty() && !wanted_.contains(task_name())) return nullptr;
        return &outputs_[file];
    }

    void note_opening(Output& output, uint64_t time, bool is_made) const {
        uint64_t& first = is_made ? output.first_made : output.first_found;
        first = std::min(first, tables_.realtime(time));
    }

    void note_writing(Output& output, uint64_t time, Way way) const {
        output.is_written = true;
        if (way == Way::Hdf5) output.is_opened = output.file.is_hdf5 = true;
        output.file.written = std::max(output.file.written, tables_.realtime(time));
        output.tasks.insert(task_name());
    }

    const std::string& task_name() const { return index_.facts.tasks[task_].name; }

    const std::set<std::string>& wanted_;
    Outputs& outputs_;
};

// It was made in memory, and never was at its path.
bool has_no_file(const FileFacts& facts) {
    return facts.inode == 0 && facts.driver == "core";
}

OutputFile described(const FileFacts& facts, Output output) {
    OutputFile file = std::move(output.file);
    file.path = facts.path;
    file.device = facts.device;
    file.inode = facts.inode;
    file.born = facts.born;
    file.was_made = output.first_made < output.first_found;
    file.made = file.was_made ? output.first_made : 0;
    file.tasks.assign(output.tasks.begin(), output.tasks.end());
    return file;
}

Outputs outputs_in(const TraceIndex& index, const std::vector<std::string>& tasks) {
    const std::set<std::string> wanted(tasks.begin(), tasks.end());
    Outputs outputs;
    for (const auto& tables : index.processes)
        tables->file->each(Writing(index, *tables, wanted, outputs));
    return outputs;
}

}  // namespace

Result<std::vector<OutputFile>> outputs_of_trace(const std::string& directory,
                                                 const std::vector<std::string>& tasks) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    if (const auto error = why_other_files_are_unknown(*index)) return *error;
    std::map<uint32_t, std::set<std::string>> paths;
    for (const auto& [path, number] : index->files_by_path) paths[number].insert(path);
    std::vector<OutputFile> found;
    for (auto& [number, output] : outputs_in(*index, tasks)) {
        if (!output.is_opened || !output.is_written) continue;
        if (has_no_file(index->facts.files[number])) continue;
        found.push_back(described(index->facts.files[number], output));
        found.back().also_by = std::move(paths[number]);
        found.back().also_by.erase(found.back().path);
    }
    std::sort(found.begin(), found.end(),
              [](const OutputFile& one, const OutputFile& other) { return one.path < other.path; });
    return found;
}

Result<std::set<std::string>> opened_for_writing_only(const std::string& directory,
                                                      const std::vector<std::string>& tasks) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    std::set<std::string> paths;
    for (const auto& [number, output] : outputs_in(*index, tasks))
        if (output.is_opened && !output.is_written) paths.insert(index->facts.files[number].path);
    return paths;
}

}  // namespace quarry
