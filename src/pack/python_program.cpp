#include "pack/python_program.hpp"

#include <algorithm>
#include <filesystem>

namespace quarry::pack_files {
namespace {

using Kind = PythonProgram::Kind;

// Options that take a value: the rest of their word, or the next one.
constexpr std::string_view kWithValue = "cmWX";
constexpr std::string_view kLongWithValue = "--check-hash-based-pycs";

constexpr std::string_view kForkServer = "multiprocessing.forkserver import";
// In what Python is given to run, by multiprocessing and by the loky of joblib.
constexpr std::string_view kOfWorkers[] = {kForkServer, "multiprocessing.spawn import",
                                           "multiprocessing.semaphore_tracker import",
                                           ".resource_tracker import", "loky.backend."};

bool runs(const std::vector<std::string>& command, std::string_view part) {
    PackedCommand one;
    one.command = command;
    const PythonProgram program = python_program_of(one);
    return program.kind != Kind::Script && program.what.find(part) != std::string::npos;
}

}  // namespace

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::Module:
            return "module";
        case Kind::Code:
            return "code";
        case Kind::Script:
            break;
    }
    return "script";
}

bool is_worker_of_python(const std::vector<std::string>& command) {
    return std::find(command.begin(), command.end(), "--multiprocessing-fork") != command.end() ||
           std::any_of(std::begin(kOfWorkers), std::end(kOfWorkers),
                       [&](std::string_view part) { return runs(command, part); });
}

bool is_forked_for_python(const std::vector<std::string>& command) {
    return runs(command, kForkServer);
}

PythonProgram python_program_of(const PackedCommand& command) {
    const auto& words = command.command;
    const auto word = [&](size_t i) { return i < words.size() ? words[i] : std::string(); };
    PythonProgram program{Kind::Script, "", command.directory};
    const auto script = [&](const std::string& name) {
        if (!name.empty() && name != "-")
            program.what = (std::filesystem::path(command.directory) / name).lexically_normal();
        return program;
    };
    for (size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "--") return script(word(i + 1));
        if (!words[i].starts_with('-') || words[i] == "-") return script(words[i]);
        if (words[i] == kLongWithValue) ++i;
        if (words[i].starts_with("--")) continue;
        const size_t at = words[i].find_first_of(kWithValue, 1);
        if (at == std::string::npos) continue;
        const char option = words[i][at];
        const std::string rest = words[i].substr(at + 1);
        const std::string value = rest.empty() ? word(++i) : rest;
        if (option == 'c') return {Kind::Code, value, command.directory};
        if (option == 'm') return {Kind::Module, value, command.directory};
    }
    return program;
}

}  // namespace quarry::pack_files
