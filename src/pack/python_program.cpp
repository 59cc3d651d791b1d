#include "pack/python_program.hpp"

#include <filesystem>

namespace quarry::pack_files {
namespace {

using Kind = PythonProgram::Kind;

// Options that take a value: the rest of their word, or the next one.
constexpr std::string_view kWithValue = "cmWX";
constexpr std::string_view kLongWithValue = "--check-hash-based-pycs";

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
