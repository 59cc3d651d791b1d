#include <algorithm>
#include <map>
#include <quarry/inputs.hpp>
#include <set>

#include "analyze/trace_index.hpp"

namespace quarry {
namespace {

using namespace analyze;
using Token = std::array<uint8_t, 16>;

struct Input {
    InputFile file;
    bool is_hdf5 = false;  // HDF5 could open it
    bool was_made = false;
    std::set<std::string> tasks;
    std::map<Token, std::string> read;
};

class Using {
public:
    Using(const TraceIndex& index, const ProcessTables& tables, const std::set<std::string>& tasks,
          std::map<uint32_t, Input>& inputs, std::map<uint32_t, Token>& tokens)
        : index_(index),
          tables_(tables),
          tasks_(tasks),
          inputs_(inputs),
          tokens_(tokens),
          task_(index.first_task_of(tables)) {}

    void operator()(const trace::Task& record, const trace::Rest&) {
        task_ = index_.task_named(tables_.text(record.name));
    }
    void operator()(const trace::Storage& record, const trace::Rest&) {
        Input* input = input_of(tables_.file_of(record.number));
        if (input == nullptr) return;
        const uint64_t opened = record.time + static_cast<uint64_t>(tables_.to_realtime);
        InputFile& file = input->file;
        if (file.opened != 0 && file.opened <= opened) return;
        file.opened = opened;
        file.device = record.device;
        file.inode = record.inode;
        file.born = record.born;
        file.size = record.size;
    }
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        Input* input = input_of(tables_.file_of(record.storage));
        if (input == nullptr || (record.prefix.flags & trace::kFileFailed) != 0) return;
        input->is_hdf5 = true;
        if ((record.prefix.flags & trace::kFileCreated) != 0) input->was_made = true;
    }
    void operator()(const trace::Object& record, const trace::Rest&) {
        const uint32_t object = tables_.object_of(record.number);
        if (object != kNobody) tokens_[object] = record.token;
        // Links and virtual datasets open files, too.
        if (Input* input = input_of(tables_.file_of(record.storage))) input->is_hdf5 = true;
    }
    void operator()(const trace::Access& record, const trace::Rest&) {
        if ((record.prefix.flags & trace::kAccessFailed) != 0) return;
        used(tables_.object_of(record.object), (record.prefix.flags & trace::kAccessWrite) != 0);
    }
    void operator()(const trace::Derived& record, const trace::Rest&) {
        if ((record.prefix.flags & trace::kDerivedFailed) != 0) return;
        used(index_.source_of(tables_, record), (record.prefix.flags & trace::kDerivedWrite) != 0);
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        if ((record.prefix.flags & trace::kIoWrite) == 0) return;
        if (Input* input = input_of(tables_.file_of(record.storage)))
            input->file.was_written = true;
    }

private:
    Input* input_of(uint32_t file) {
        if (file == kNobody || task_ == kNobody) return nullptr;
        const std::string& task = index_.facts.tasks[task_].name;
        if (!tasks_.empty() && !tasks_.contains(task)) return nullptr;
        Input& input = inputs_[file];
        input.tasks.insert(task);
        return &input;
    }

    void used(uint32_t object, bool writes) {
        if (object == kNobody) return;
        const ObjectFacts& facts = index_.facts.objects[object];
        Input* input = input_of(facts.file);
        if (input == nullptr || writes) return;
        input->read[tokens_[object]] = facts.path;
    }

    const TraceIndex& index_;
    const ProcessTables& tables_;
    const std::set<std::string>& tasks_;
    std::map<uint32_t, Input>& inputs_;
    std::map<uint32_t, Token>& tokens_;
    uint32_t task_;
};

}  // namespace

Result<std::vector<InputFile>> inputs_of_trace(const std::string& directory,
                                               const std::vector<std::string>& tasks) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    for (const std::string& task : tasks)
        if (!index->tasks.contains(task))
            return Error{"There is no task " + task + " in the trace " + directory +
                         ". `quarry ls` lists those that there are."};
    const std::set<std::string> wanted(tasks.begin(), tasks.end());
    std::map<uint32_t, Input> inputs;
    std::map<uint32_t, Token> tokens;
    for (const auto& tables : index->processes)
        tables->file->each(Using(*index, *tables, wanted, inputs, tokens));
    std::vector<InputFile> found;
    for (auto& [number, input] : inputs) {
        if (!input.is_hdf5 || input.was_made || input.file.opened == 0) continue;
        InputFile& file = input.file;
        file.path = index->facts.files[number].path;
        file.tasks.assign(input.tasks.begin(), input.tasks.end());
        for (const auto& [token, path] : input.read) file.read.push_back({token, path});
        found.push_back(std::move(file));
    }
    return found;
}

}  // namespace quarry
