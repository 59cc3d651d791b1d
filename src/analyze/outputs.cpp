#include <algorithm>
#include <map>
#include <quarry/outputs.hpp>
#include <set>

#include "analyze/trace_index.hpp"

namespace quarry {
namespace {

using namespace analyze;

struct Output {
    OutputFile file;
    std::set<std::string> tasks;
};

// By file.
using Outputs = std::map<uint32_t, Output>;

class Writing {
public:
    Writing(const TraceIndex& index, const ProcessTables& tables,
            const std::set<std::string>& wanted, Outputs& outputs)
        : index_(index),
          tables_(tables),
          wanted_(wanted),
          outputs_(outputs),
          task_(index.first_task_of(tables)) {}

    void operator()(const trace::Task& record, const trace::Rest&) {
        task_ = index_.task_named(tables_.text(record.name));
    }
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        constexpr uint8_t kMatters = trace::kFileFailed | trace::kFileCreated;
        if ((record.prefix.flags & kMatters) != trace::kFileCreated) return;
        if (Output* output = output_of(tables_.file_of(record.storage), record.start)) {
            output->file.is_hdf5 = true;
            output->file.was_made = true;
        }
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        constexpr uint8_t kMatters = trace::kIoFailed | trace::kIoWrite;
        if ((record.prefix.flags & kMatters) != trace::kIoWrite) return;
        const uint64_t end = record.start + record.duration;
        if (Output* output = output_of(tables_.file_of(record.storage), end))
            output->file.is_hdf5 = true;
    }
    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        const uint32_t number = tables_.other_file_of(record.number);
        const bool was_made = (record.flags & trace::kUseCreated) != 0;
        if (number == kNobody || (record.written == 0 && !was_made)) return;
        Output* output = output_of(number, std::max(record.opened, record.last));
        if (output != nullptr && was_made) output->file.was_made = true;
    }

private:
    Output* output_of(uint32_t file, uint64_t time) {
        if (file == kNobody || task_ == kNobody) return nullptr;
        const std::string& task = index_.facts.tasks[task_].name;
        if (!wanted_.empty() && !wanted_.contains(task)) return nullptr;
        Output& output = outputs_[file];
        output.tasks.insert(task);
        output.file.written =
            std::max(output.file.written, time + static_cast<uint64_t>(tables_.to_realtime));
        return &output;
    }

    const TraceIndex& index_;
    const ProcessTables& tables_;
    const std::set<std::string>& wanted_;
    Outputs& outputs_;
    uint32_t task_;
};

}  // namespace

Result<std::vector<OutputFile>> outputs_of_trace(const std::string& directory,
                                                 const std::vector<std::string>& tasks) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    const std::set<std::string> wanted(tasks.begin(), tasks.end());
    Outputs outputs;
    for (const auto& tables : index->processes)
        tables->file->each(Writing(*index, *tables, wanted, outputs));
    std::vector<OutputFile> found;
    for (auto& [number, output] : outputs) {
        output.file.path = index->facts.files[number].path;
        output.file.tasks.assign(output.tasks.begin(), output.tasks.end());
        found.push_back(std::move(output.file));
    }
    std::sort(found.begin(), found.end(),
              [](const OutputFile& one, const OutputFile& other) { return one.path < other.path; });
    return found;
}

}  // namespace quarry
