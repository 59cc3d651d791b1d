#include "pack/commands.hpp"

#include <algorithm>
#include <filesystem>

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

// Whether the other one comes of it: as its child, or as the program that it has become.
bool leads_to(const ProcessFacts& one, const ProcessFacts& other) {
    constexpr uint64_t kTick = 20'000'000;  // nanoseconds in which starts cannot be told apart
    if (&one == &other || one.host != other.host || one.begin > other.begin) return false;
    const uint64_t apart =
        std::max(one.started, other.started) - std::min(one.started, other.started);
    return one.pid == other.parent_pid || (one.pid == other.pid && apart < kTick);
}

bool is_of_system(const std::string& path) {
    constexpr std::string_view kSystem[] = {"/usr/", "/bin/", "/sbin/", "/lib/", "/proc/", "/dev/"};
    return std::any_of(std::begin(kSystem), std::end(kSystem),
                       [&](std::string_view prefix) { return path.starts_with(prefix); });
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
        return facts.processes[left].started < facts.processes[right].started;
    });
    std::vector<PackedCommand> commands;
    for (const size_t number : chosen) {
        const ProcessFacts& process = facts.processes[number];
        const bool is_top_level = std::none_of(chosen.begin(), chosen.end(), [&](size_t other) {
            return leads_to(facts.processes[other], process);
        });
        commands.push_back({tasks[number], process.command, process.directory, process.program,
                            process.rank, process.started, is_top_level});
    }
    return commands;
}

std::vector<std::string> files_named(const PackedCommand& command,
                                     const std::set<std::string>& others, uint64_t largest) {
    std::vector<std::string> files;
    const bool has_interpreter = !interpreter_of(command).empty();
    for (size_t i = has_interpreter ? 1 : 0; i < command.command.size(); ++i) {
        const std::string& word = command.command[i];
        // A program without a slash was found on the path, and belongs to the system.
        if (i == 0 && word.find('/') == std::string::npos) continue;
        const std::string path = (fs::path(command.directory) / word).lexically_normal();
        std::error_code failed;
        if (word.empty() || others.contains(path) || is_of_system(path) ||
            !fs::is_regular_file(path, failed) || fs::file_size(path, failed) > largest)
            continue;
        files.push_back(path);
    }
    return files;
}

bool lacks_secret(const PackedCommand& command) {
    return std::any_of(command.command.begin(), command.command.end(),
                       [](const auto& word) { return word.find("***") != std::string::npos; });
}

}  // namespace quarry::pack_files
