#include "analyze/trace_index.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "analyze/definitions.hpp"
#include "analyze/process_facts.hpp"
#include "analyze/written_names.hpp"
#include "base/text.hpp"

namespace quarry::analyze {
namespace {

void find_parent(Shared& shared, ProcessTables& tables, const trace::ProcessFile& file) {
    const std::string forked_from = file.header().forked_from.data();
    const auto parent = shared.by_name.find(forked_from);
    if (parent != shared.by_name.end())
        tables.parent = parent->second;
    else if (!forked_from.empty())
        shared.index.facts.problems.push_back(file.path() + " cannot be understood without " +
                                              forked_from +
                                              ", the file of the process that it was forked from.");
    shared.by_name[std::filesystem::path(file.path()).filename()] = &tables;
}

void add_process(Shared& shared, trace::ProcessFile&& file) {
    const trace::Header& header = file.header();
    TraceFacts& facts = shared.index.facts;
    auto& tables = *shared.index.processes.emplace_back(std::make_unique<ProcessTables>());
    tables.process = static_cast<uint32_t>(facts.processes.size());
    tables.to_realtime = static_cast<int64_t>(header.realtime - header.monotonic);
    find_parent(shared, tables, file);
    const ProcessFacts* parent =
        tables.parent != nullptr ? &facts.processes[tables.parent->process] : nullptr;
    facts.processes.push_back(facts_in(header, parent));
    const Defined defined = read_definitions(shared, tables, file);
    report_losses(facts, file, defined.damage);
    facts.processes[tables.process].end = tables.realtime(std::max(defined.last, header.monotonic));
    tables.file = std::make_unique<trace::ProcessFile>(std::move(file));
}

// Parents first: a clock may have been set back since they began.
void add_all(Shared& shared, const std::vector<std::string>& paths) {
    std::map<std::string, trace::ProcessFile> waiting;  // by name
    for (const std::string& path : paths) {
        auto file = trace::ProcessFile::open(path);
        if (file)
            waiting.emplace(std::filesystem::path(path).filename(), std::move(*file));
        else
            shared.index.facts.problems.push_back(file.error().message);
    }
    while (!waiting.empty()) {
        // A damaged file may name itself, or a child.
        std::vector<trace::ProcessFile> ancestors;
        for (auto next = waiting.begin(); next != waiting.end();) {
            ancestors.push_back(std::move(next->second));
            waiting.erase(next);
            next = waiting.find(ancestors.back().header().forked_from.data());
        }
        for (auto& file : std::views::reverse(ancestors)) add_process(shared, std::move(file));
    }
}

void credit_metadata(Shared& shared) {
    // HDF5 makes or opens the root group with the file.
    for (const auto& [process, operation, file] : shared.openings)
        process->settle(operation, shared.object_at(file, "/", ObjectKind::Group));
    for (const auto& [process, record] : shared.rooms) {
        const uint32_t file = process->file_of(record.storage);
        const uint32_t object = record.object != trace::kNone
                                    ? process->object_of(record.object)
                                    : process->object_of_operation(record.operation);
        if (object != kNobody && shared.index.facts.objects[object].file == file)
            shared.index.addresses[file].claim_metadata(record.address, object);
    }
    for (uint32_t file = 0; file < shared.index.addresses.size(); ++file) {
        const auto base = shared.bases.find(file);
        const bool moved = base != shared.bases.end();
        shared.index.addresses[file].claim_superblock(moved ? base->second : 0);
    }
}

}  // namespace

uint32_t TraceIndex::file_named(const std::string& name, uint32_t in_file,
                                const ProcessTables& process) const {
    if (name == ".") return in_file;
    const std::string beside = std::filesystem::path(facts.files[in_file].path).parent_path();
    for (const std::string& directory : {beside, facts.processes[process.process].directory}) {
        const auto found = files_by_path.find(in_directory(directory, name));
        if (found != files_by_path.end()) return found->second;
    }
    return kNobody;
}

uint32_t TraceIndex::source_of(const ProcessTables& process, const trace::Derived& record) const {
    const uint32_t object = process.object_of(record.object);
    if (object == kNobody) return kNobody;
    const uint32_t file =
        file_named(process.text(record.file), facts.objects[object].file, process);
    const auto found = objects_by_path.find({file, absolute_path(process.text(record.dataset))});
    return found != objects_by_path.end() ? found->second : kNobody;
}

bool TraceIndex::has_source_file(const ProcessTables& process, const trace::Derived& record) const {
    const uint32_t object = process.object_of(record.object);
    return object != kNobody &&
           file_named(process.text(record.file), facts.objects[object].file, process) != kNobody;
}

bool TraceIndex::is_only_one_named(const std::string& name) const {
    const auto found = files_by_name.find(base_name(name));
    return found != files_by_name.end() && found->second.size() == 1;
}

std::set<uint32_t> TraceIndex::files_meant_by(uint32_t file) const {
    std::set<uint32_t> used = files_by_name.at(base_name(facts.files[file].path));
    std::erase_if(used, [&](uint32_t one) { return facts.files[one].inode == 0; });
    return used.empty() ? std::set{file} : used;
}

uint32_t TraceIndex::root_of(uint32_t file) const {
    const auto found = objects_by_path.find({file, "/"});
    return found != objects_by_path.end() ? found->second : kNobody;
}

uint32_t TraceIndex::task_named(const std::string& name) const {
    const auto found = tasks.find(name);
    return found != tasks.end() ? found->second : kNobody;
}

uint32_t TraceIndex::first_task_of(const ProcessTables& process) const {
    for (const ProcessTables* one = &process; one != nullptr; one = one->parent) {
        for (uint32_t task = 0; task < facts.tasks.size(); ++task) {
            const auto& workers = facts.tasks[task].processes;
            if (std::find(workers.begin(), workers.end(), one->process) != workers.end())
                return task;
        }
    }
    return kNobody;
}

Result<TraceIndex> index_trace(const std::string& directory) {
    const auto paths = trace::files_of_trace(directory);
    if (!paths) return paths.error();
    Shared shared;
    shared.index.facts.directory = directory;
    add_all(shared, *paths);
    if (shared.index.processes.empty()) return Error{shared.index.facts.problems.front()};
    credit_metadata(shared);
    for (TaskFacts& task : shared.index.facts.tasks) {
        for (const uint32_t process : task.processes)
            task.end = std::max(task.end, shared.index.facts.processes[process].end);
    }
    return std::move(shared.index);
}

}  // namespace quarry::analyze
