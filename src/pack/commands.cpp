#include "pack/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/installed.hpp"
#include "pack/python_program.hpp"
#include "pack/versions.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<std::string>> tasks_of_processes(const TraceFacts& facts) {
    std::vector<std::vector<std::string>> tasks(facts.processes.size());
    for (const TaskFacts& task : facts.tasks)
        for (const uint32_t process : task.processes) tasks[process].push_back(task.name);
    return tasks;
}

bool are_wanted(const std::vector<std::string>& tasks, const std::vector<std::string>& wanted) {
    return wanted.empty() || std::any_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
               return std::find(wanted.begin(), wanted.end(), task) != wanted.end();
           });
}

constexpr uint64_t kTick = 20'000'000;  // in which starts cannot be told apart

// Numbers come again: one that had ended by then was another process, and one that was started
// later. What it had recorded by then does not matter.
bool was_alive_before(const ProcessFacts& other, const ProcessFacts& process) {
    return other.started <= process.started + kTick &&
           (other.gone == 0 || other.gone >= process.started);
}

// A shell may have become another program only after it had started a process.
bool was_that_program(const ProcessFacts& other, const ProcessFacts& process) {
    return other.loaded <= process.begin;
}

// What has started processes, as far as it was chosen as well.
class Ancestry {
public:
    Ancestry(const std::vector<ProcessFacts>& processes, const std::vector<size_t>& chosen)
        : processes_(processes), chosen_(chosen), origins_(processes.size()) {
        std::map<std::pair<std::string, uint32_t>, std::vector<size_t>> by_pid;
        std::map<std::pair<std::string, ProcessNumber>, std::vector<size_t>> by_number;
        for (const size_t number : chosen) {
            const ProcessFacts& process = processes[number];
            by_pid[{process.host, process.pid}].push_back(number);
            by_number[{process.host, process.number}].push_back(number);
            by_execution_[{process.host, process.execution}].push_back(number);
        }
        for (const size_t number : chosen) {
            const ProcessFacts& process = processes[number];
            for (const size_t other : by_pid[{process.host, process.parent_pid}])
                if (was_alive_before(processes[other], process) &&
                    was_that_program(processes[other], process))
                    add_origin(number, other);
            for (const size_t other : by_pid[{process.host, process.pid}])
                if (became(processes[other], process)) add_origin(number, other);
            for (const ProcessNumber& ancestor : process.ancestors)
                for (const size_t other : by_number[{process.host, ancestor}])
                    if (was_that_program(processes[other], process)) add_origin(number, other);
        }
    }

    // Whether another one has started it, or has become it, or will do its work if that one is
    // repeated: the same program, of which both are forks.
    bool knows_origin_of(size_t number) const {
        const ProcessFacts& process = processes_[number];
        if (!origins_[number].empty()) return true;
        if (process.execution == 0) return false;
        const auto& forks = by_execution_.at({process.host, process.execution});
        const auto self = std::find(forks.begin(), forks.end(), number);
        return std::any_of(forks.begin(), self,
                           [&](size_t other) { return origins_[other].empty(); }) ||
               std::any_of(forks.begin(), forks.end(),
                           [&](size_t other) { return is_started_by_another_program(other); });
    }

    // Of a worker that a process has started which itself opens nothing: whether there is a program
    // that it can work for.
    bool may_know_origin_of(size_t number) const {
        const ProcessFacts& process = processes_[number];
        return is_forked_for_python(process.command) &&
               std::any_of(chosen_.begin(), chosen_.end(), [&](size_t one) {
                   const ProcessFacts& other = processes_[one];
                   return other.host == process.host && other.program == process.program &&
                          was_alive_before(other, process) && !is_worker_of_python(other.command);
               });
    }

private:
    void add_origin(size_t number, size_t other) {
        if (other != number) origins_[number].push_back(other);
    }

    // Which is the same one still.
    static bool became(const ProcessFacts& other, const ProcessFacts& process) {
        const auto [first, last] = std::minmax(other.started, process.started);
        return other.begin <= process.begin && last - first < kTick;
    }

    bool is_started_by_another_program(size_t number) const {
        const auto& origins = origins_[number];
        return std::any_of(origins.begin(), origins.end(), [&](size_t other) {
            return processes_[other].execution != processes_[number].execution;
        });
    }

    const std::vector<ProcessFacts>& processes_;
    const std::vector<size_t>& chosen_;
    std::vector<std::vector<size_t>> origins_;  // of each
    std::map<std::pair<std::string, uint64_t>, std::vector<size_t>> by_execution_;
};

// Of forks, of what they are forked from.
uint64_t start_of_program(const ProcessFacts& process) {
    return process.loaded != 0 ? process.loaded : process.started;
}

}  // namespace

std::vector<PackedCommand> commands_of(const TraceFacts& facts,
                                       const std::vector<std::string>& wanted) {
    const auto tasks = tasks_of_processes(facts);
    std::vector<size_t> chosen;
    for (size_t i = 0; i < facts.processes.size(); ++i)
        if (are_wanted(tasks[i], wanted) && !facts.processes[i].command.empty())
            chosen.push_back(i);
    std::stable_sort(chosen.begin(), chosen.end(), [&](size_t left, size_t right) {
        return start_of_program(facts.processes[left]) < start_of_program(facts.processes[right]);
    });
    const Ancestry ancestry(facts.processes, chosen);
    std::vector<PackedCommand> commands;
    for (const size_t number : chosen) {
        const ProcessFacts& process = facts.processes[number];
        const bool is_known = ancestry.knows_origin_of(number);
        const bool is_worker = is_worker_of_python(process.command);
        commands.push_back({tasks[number], process.command, process.directory, process.program,
                            process.rank, start_of_program(process), !is_known && !is_worker,
                            !is_known && is_worker && !ancestry.may_know_origin_of(number),
                            std::max(process.end, process.gone)});
    }
    return commands;
}

bool is_of_system(const std::string& path) {
    constexpr std::string_view kSystem[] = {"/bin/", "/sbin/", "/lib/", "/proc/", "/dev/"};
    return is_installed_below("/usr", path) ||
           std::any_of(std::begin(kSystem), std::end(kSystem),
                       [&](std::string_view prefix) { return path.starts_with(prefix); });
}

std::string text_of(const PackedCommand& command) {
    return fmt::format("{}", fmt::join(command.command, " "));
}

std::vector<std::string> files_named(const PackedCommand& command) {
    std::vector<std::string> files;
    const bool has_interpreter = !interpreter_of(command).empty();
    for (size_t i = has_interpreter ? 1 : 0; i < command.command.size(); ++i) {
        const std::string& word = command.command[i];
        // A program without a slash was found on the path, and belongs to the system.
        if (i == 0 && word.find('/') == std::string::npos) continue;
        const std::string path = (fs::path(command.directory) / word).lexically_normal();
        std::error_code failed;
        if (word.empty() || is_of_system(path) || !fs::is_regular_file(path, failed)) continue;
        files.push_back(path);
    }
    return files;
}

std::vector<std::string> program_folders(const PackedCommand& command, const Pack& pack) {
    std::vector<std::string> folders;
    const auto add = [&](const PackedCommand& one) {
        const std::string program = program_of(one);
        const std::string folder = fs::path(program).parent_path();
        const bool is_of_use = program.starts_with('/') && !is_of_system(program) &&
                               folder.find(':') == std::string::npos;
        if (is_of_use && std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
    };
    add(command);
    if (interpreter_of(command).empty())
        for (const PackedCommand& one : pack.commands) add(one);
    return folders;
}

std::string missing_origin(const Pack& pack) {
    const auto lacks = [](const PackedCommand& command) { return command.lacks_origin; };
    const auto first = std::find_if(pack.commands.begin(), pack.commands.end(), lacks);
    if (first == pack.commands.end()) return "";
    const auto all = std::count_if(first, pack.commands.end(), lacks);
    return fmt::format(
        "The command is not known that has started {}{}: it has opened no file itself, or was not "
        "chosen. Without it, this cannot be repeated. Record it again with a program that opens "
        "one of its files before it hands out its work.",
        text_of(*first), all > 1 ? fmt::format(" and {} more", all - 1) : "");
}

bool lacks_secret(const PackedCommand& command) {
    return std::any_of(command.command.begin(), command.command.end(),
                       [](const auto& word) { return word.find("***") != std::string::npos; });
}

}  // namespace quarry::pack_files
