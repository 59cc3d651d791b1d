#include "carve_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>
#include <thread>

#include "option_values.hpp"

namespace quarry::cli {
namespace {

std::set<std::string> gone_names(const std::vector<InputFile>& inputs) {
    std::set<std::string> all;
    for (const InputFile& input : inputs)
        if (input.is_chosen) all.insert(input.gone_names.begin(), input.gone_names.end());
    return all;
}

// A file may have come to the path of another one that was made there, and is gone.
bool is_own(const MadeFile& made, const InputFile& input) {
    if (made.time >= input.opened) return false;
    if (made.number.born != 0 && input.inode != 0) return made.number == input.number();
    const bool is_renamed = made.number.inode != 0 && made.number == input.number() &&
                            !std::filesystem::exists(made.path);
    return made.path == input.path || is_renamed;
}

// What one trace says of a file holds for all its names. While one only read a file that it had
// opened for writing, another may have changed it.
void add_up_touches(std::vector<InputFile>& inputs, const std::map<FileNumber, uint64_t>& changed) {
    std::map<FileNumber, decltype(InputFile::touched)> all;
    for (const InputFile& input : inputs)
        all[input.number()].insert(input.touched.begin(), input.touched.end());
    for (InputFile& input : inputs) {
        const auto last = changed.find(input.number());
        const bool is_changed = last != changed.end() && last->second >= input.opened;
        input.touched = is_changed ? decltype(InputFile::touched){} : all[input.number()];
    }
}

// What a task of one trace has read as bytes, or written to, may be what HDF5 has read in another.
void add_bytes(std::vector<InputFile>& inputs, const std::vector<InputFile>& bytes) {
    std::multimap<FileNumber, const InputFile*> by_number;
    for (const InputFile& file : bytes) by_number.emplace(file.number(), &file);
    for (InputFile& input : inputs) {
        const auto [first, last] = by_number.equal_range(input.number());
        for (auto file = first; input.inode != 0 && file != last; ++file) {
            const InputFile& more = *file->second;
            input.was_written = input.was_written || more.was_written;
            input.modified.insert(more.modified.begin(), more.modified.end());
            if (!input.is_raw && input.why_whole.empty()) input.why_whole = more.why_whole;
        }
    }
}

// Names that tasks have given to files of their own are there again when they make those.
void forget_own_names(std::vector<InputFile>& inputs, const std::set<std::string>& own) {
    for (InputFile& input : inputs)
        for (const std::string& name : own)
            if (input.also_by.erase(name) > 0) input.gone_names.insert(name);
}

template <typename Names>
void caution(ProgressLine& line, const Names& names, std::string_view sentence) {
    if (names.empty()) return;
    line.clear();
    say(fmt::format(fmt::runtime(sentence), printable(fmt::format("{}", fmt::join(names, ", ")))));
}

}  // namespace

void CarveFlags::declare(CLI::App& app) {
    options_.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("--task", tasks_, "only what this task used")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--file", files_, "only files whose path, or its end, matches")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    app.add_option("--granularity", granularity_,
                   "keep what was read as whole datasets (object, the default) or only the "
                   "chunks (chunk)")
        ->type_name("UNIT")
        ->check(CLI::IsMember({"object", "chunk"}));
    app.add_option("--keep", options_.keep, "keep datasets whose path matches, though unread")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    app.add_option("--drop", options_.drop, "leave out datasets whose path matches, though read")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    app.add_option("--keep-below", options_.keep_below, "keep what is smaller (default: 64K)")
        ->type_name("BYTES")
        ->transform(as_size());
    app.add_option("--jobs", options_.jobs, "files at once (default: one for each processor)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
}

Result<std::vector<InputFile>> CarveFlags::inputs(const std::vector<std::string>& traces,
                                                  ProgressLine& line) const {
    std::vector<InputFile> inputs;
    std::vector<MadeFile> made;
    std::map<FileNumber, uint64_t> changed;
    std::vector<InputFile> bytes;
    std::set<std::string> unseen, running, tasks;
    for (const std::string& trace : traces) {
        line.show("reading " + trace);
        auto found = inputs_of_trace(trace, tasks_);
        if (!found) return found.error();
        add_inputs(inputs, std::move(found->files));
        for (const auto& [number, time] : found->changed)
            changed[number] = std::max(changed[number], time);
        bytes.insert(bytes.end(), found->bytes.begin(), found->bytes.end());
        made.insert(made.end(), found->made.begin(), found->made.end());
        unseen.insert(found->unseen.begin(), found->unseen.end());
        running.insert(found->running.begin(), found->running.end());
        tasks.merge(found->tasks);
    }
    for (const std::string& task : tasks_)
        if (!tasks.contains(task))
            return Error{
                fmt::format("There is no task {} in {}. `quarry ls` lists those that there are.",
                            task, fmt::join(traces, ", "))};
    // What one of the traces has made is no input of another.
    std::erase_if(inputs, [&](const InputFile& input) {
        return std::any_of(made.begin(), made.end(),
                           [&](const MadeFile& own) { return is_own(own, input); });
    });
    add_up_touches(inputs, changed);
    add_bytes(inputs, bytes);
    if (inputs.empty())
        return Error{"There is no HDF5 file among the inputs that the tasks found and read."};
    std::set<std::string> own;
    for (const MadeFile& file : made) own.insert(file.path);
    forget_own_names(inputs, own);
    const std::vector<std::string> listed = listed_with_more(inputs, own);
    bool is_any_chosen = false;
    for (InputFile& input : inputs) is_any_chosen |= input.is_chosen = is_chosen(input);
    if (!is_any_chosen) return Error{"None of the inputs matches --file. `quarry ls` names them."};
    caution(line, unseen,
            "what {} read could not be recorded, and may be left out. --keep keeps datasets that "
            "nobody else has read.");
    caution(line, running,
            "not ended yet: {}. What is read from now on may be left out; do this again when all "
            "have ended.");
    caution(line, gone_names(inputs),
            "inputs were also opened as {}, where nothing is any more. On carved data nothing is "
            "there either, unless programs make it again.");
    caution(line, listed,
            "there are more files in {}, which nobody read. On carved data alone they are not "
            "there, for programs that only look at names.");
    return inputs;
}

CarveOptions CarveFlags::options() const {
    CarveOptions options = options_;
    if (granularity_ == "chunk") options.granularity = CarveOptions::Granularity::Chunk;
    return options;
}

void CarveFlags::say_what_is_idle(const std::vector<FileFate>& files) const {
    for (const auto* patterns : {&options_.keep, &options_.drop})
        for (const std::string& pattern : idle_patterns(files, *patterns))
            say(
                fmt::format("no dataset matches {}: patterns are of whole paths, as `quarry "
                            "explain` shows them.",
                            printable(pattern)));
}

bool CarveFlags::is_chosen(const InputFile& input) const {
    const auto matches = [&](const std::string& path) {
        return std::any_of(files_.begin(), files_.end(), [&](const auto& pattern) {
            return fnmatch(pattern.c_str(), path.c_str(), 0) == 0 ||
                   fnmatch(("*/" + pattern).c_str(), path.c_str(), 0) == 0 ||
                   path.ends_with("/" + pattern);
        });
    };
    return files_.empty() || matches(input.path) ||
           std::any_of(input.also_by.begin(), input.also_by.end(), matches) ||
           std::any_of(input.gone_names.begin(), input.gone_names.end(), matches);
}

}  // namespace quarry::cli
