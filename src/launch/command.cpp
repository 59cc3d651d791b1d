#include "launch/command.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/elf.hpp"
#include "base/text.hpp"
#include "launch/wrappers.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

constexpr int kMostInterpreters = 5;  // a script whose interpreter is a script, and so on

bool is_executable_file(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

bool is_python_name(const std::string& name) {
    for (const std::string_view stem : {"python", "pypy"}) {
        if (!name.starts_with(stem)) continue;
        const std::string rest = name.substr(stem.size());
        if (rest.find_first_not_of("0123456789.t") == rest.npos) return true;
    }
    return false;
}

std::string first_line_of(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return std::string(trim(line));
}

// The version that pyenv's shim would choose: by variable, by .python-version here or above, or the
// global one. The shim itself is a shell script that takes too long to ask.
std::string pyenv_version(const fs::path& root, const Environment& environment) {
    if (const auto version = environment.get("PYENV_VERSION"); version && !version->empty())
        return split(*version, ":").front();
    std::error_code ignored;
    for (fs::path directory = fs::current_path(ignored);; directory = directory.parent_path()) {
        if (const std::string version = first_line_of(directory / ".python-version");
            !version.empty())
            return version;
        if (directory == directory.parent_path()) break;
    }
    return first_line_of(root / "version");
}

std::string behind_shim(const std::string& path, const Environment& environment) {
    const fs::path directory = fs::path(path).parent_path();
    if (directory.filename() != "shims") return path;
    const fs::path root = directory.parent_path();
    const std::string real =
        root / "versions" / pyenv_version(root, environment) / "bin" / base_name(path);
    return is_executable_file(real) ? real : path;
}

// pip writes `#!/bin/sh` and `'''exec' "/long path/python" "$0" "$@"` where a `#!` line is too
// long.
std::string long_interpreter(const std::string& second_line) {
    constexpr std::string_view start = "'''exec' ";
    if (!second_line.starts_with(start)) return {};
    const std::string rest = second_line.substr(start.size());
    const char end = rest.starts_with('"') ? '"' : ' ';
    const size_t from = end == '"' ? 1 : 0;
    return rest.substr(from, rest.find(end, from) - from);
}

// The command that a script's first line names; empty when it has none.
Command interpreter_of(const std::string& script) {
    std::ifstream file(script);
    char start[512] = "";
    file.read(start, sizeof start);
    const std::string_view text(start, static_cast<size_t>(file.gcount()));
    if (!text.starts_with("#!")) return {};
    const auto lines = split(text.substr(2), "\n");
    if (lines.size() > 1)
        if (const std::string python = long_interpreter(lines[1]); !python.empty()) return {python};
    Command command = lines.empty() ? Command{} : split(lines.front(), " \t\r");
    if (!command.empty()) command.push_back(script);
    return command;
}

Program resolve(const Command& command, const Environment& environment, int depth) {
    const Unwrapped unwrapped = unwrap(command);
    Program program;
    program.cleared_by = unwrapped.cleared_by;
    if (unwrapped.command.empty() || depth > kMostInterpreters) return program;
    const auto found = find_program(unwrapped.command.front(), environment);
    if (!found) return program;

    program.path = behind_shim(*found, environment);
    if (ElfFile::open(program.path)) {
        std::error_code ignored;
        const bool python = is_python_name(base_name(program.path)) ||
                            is_python_name(fs::canonical(program.path, ignored).filename());
        program.kind = python ? Program::Kind::Python : Program::Kind::Binary;
        return program;
    }
    const Command interpreter = interpreter_of(program.path);
    if (interpreter.empty()) return program;
    const Program inner = resolve(interpreter, environment, depth + 1);
    program.kind = Program::Kind::Script;
    if (inner.kind == Program::Kind::Python) {
        program.kind = inner.kind;
        program.path = inner.path;
    }
    if (program.cleared_by.empty()) program.cleared_by = inner.cleared_by;
    return program;
}

}  // namespace

std::optional<std::string> find_program(const std::string& name, const Environment& environment) {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != name.npos) {
        std::error_code ignored;
        return fs::exists(name, ignored) ? std::optional(name) : std::nullopt;
    }
    for (const std::string& directory :
         split(environment.get("PATH").value_or("/bin:/usr/bin"), ":")) {
        std::string candidate = directory + "/" + name;
        if (is_executable_file(candidate)) return candidate;
    }
    return std::nullopt;
}

Program resolve_program(const Command& command, const Environment& environment) {
    return resolve(command, environment, 0);
}

}  // namespace quarry
