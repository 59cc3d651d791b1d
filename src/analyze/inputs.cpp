#include <algorithm>
#include <quarry/inputs.hpp>
#include <set>

#include "analyze/completeness.hpp"
#include "analyze/real_names.hpp"
#include "analyze/used_inputs.hpp"
#include "base/text.hpp"
#include "model/input_files.hpp"
#include "trace/interest.hpp"

namespace quarry {
namespace {

using namespace analyze;

constexpr const char* kIsNoData =
    "whether it was read without HDF5, too, is not recorded of files in such a place or with such "
    "a name";
constexpr const char* kMayBeSource =
    "a virtual dataset may have it for a source, which HDF5 has found in a way of its own";

std::vector<std::string> still_running(const TraceFacts& facts) {
    std::vector<std::string> found;
    for (const TaskFacts& task : facts.tasks)
        for (const uint32_t number : task.processes)
            if (const ProcessFacts& process = facts.processes[number]; process.is_running)
                found.push_back(task.name + " (process " + std::to_string(process.pid) + ")");
    return found;
}

// Which file it is that HDF5 has read as data of a dataset in another one.
void take_for_raw(const FileFacts& facts, Input& input) {
    InputFile& file = input.file;
    file.device = facts.device;
    file.inode = facts.inode;
    file.born = facts.born;
    file.size = facts.size;
    file.modified = input.raw_modified;
    file.opened = input.raw_opened;
    file.why_whole.clear();  // HDF5 reads it as a file of bytes, too
}

InputFile known_by_bytes(const FileFacts& facts, InputFile file) {
    file.path = facts.path;
    file.device = facts.device;
    file.inode = facts.inode;
    file.born = facts.born;
    return file;
}

// What the file is, of what is found of it.
InputFile settled(uint32_t number, Input input, const TraceIndex& index, Found& all) {
    InputFile& file = input.file;
    const FileFacts& facts = index.facts.files[number];
    file.is_raw = input.is_raw && !input.is_hdf5;
    if (file.is_raw) {
        take_for_raw(facts, input);
    } else if (input.is_raw) {
        file.why_whole = kIsRawToo;
        file.modified.insert(input.raw_modified.begin(), input.raw_modified.end());
    }
    const auto changed = all.changed.find(number);
    if (changed == all.changed.end() || changed->second < file.opened)
        file.touched = all.touched[number];
    if (input.first_made != kNever) file.was_written = true;
    file.path = facts.path;
    if (input.is_hdf5 && all.sought.contains(base_name(file.path))) file.why_whole = kMayBeSource;
    if (!file.is_raw && !trace::is_data(file.path)) file.why_whole = kIsNoData;
    use_real_names(file);
    file.has_no_file = file.inode == 0 && !file.is_raw;
    file.is_inside = input.is_inside && !input.is_hdf5 && !input.is_refused && !file.is_raw;
    file.tasks.assign(input.tasks.begin(), input.tasks.end());
    for (auto& [object, used] : input.read) {
        used.dataset.token = all.tokens[object];
        file.read.push_back(std::move(used.dataset));
    }
    return std::move(file);
}

}  // namespace

Result<TraceInputs> inputs_of_trace(const std::string& directory,
                                    const std::vector<std::string>& tasks) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    if (const auto error = why_reads_are_unknown(*index)) return *error;
    const std::set<std::string> wanted(tasks.begin(), tasks.end());
    Found all;
    for (const auto& tables : index->processes) add_used(*index, *tables, wanted, all);
    TraceInputs found;
    found.unseen = index->facts.unseen;
    found.running = still_running(index->facts);
    for (const auto& [name, number] : index->tasks) found.tasks.insert(name);
    const auto number_of = [](const FileFacts& facts) {
        return FileNumber{facts.device, facts.inode, facts.born};
    };
    for (const auto& [number, time] : all.changed)
        if (number != kNobody) found.changed.emplace(number_of(index->facts.files[number]), time);
    for (auto& [number, input] : all.inputs) {
        const FileFacts& facts = index->facts.files[number];
        const bool is_own = input.first_made < input.first_found;
        // What was made in memory is at no path.
        if (is_own && facts.inode != 0)
            found.made.push_back({facts.path, number_of(facts), input.first_made});
        const bool is_data = input.is_raw && !input.is_hdf5;
        const bool is_used = input.is_hdf5 || is_data || (input.is_inside && !input.is_refused);
        const bool is_opened = is_data || input.file.opened != 0;
        if (is_own) continue;
        if (is_used && is_opened)
            found.files.push_back(settled(number, std::move(input), *index, all));
        else if (!input.file.why_whole.empty() || input.file.was_written)
            found.bytes.push_back(known_by_bytes(facts, std::move(input.file)));
    }
    return found;
}

}  // namespace quarry
