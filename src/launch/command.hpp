// What a command really starts: through wrappers, PATH, `#!` lines and pyenv's shims.
#pragma once

#include <optional>
#include <quarry/launch.hpp>
#include <string>

namespace quarry {

struct Program {
    enum class Kind {
        Unknown,  // not found, or not something that can be looked into
        Binary,   // an ELF program
        Python,   // a Python interpreter, whatever it runs
        Script,   // a script of another interpreter: starts programs that cannot be known
    };

    Kind kind = Kind::Unknown;
    std::string path;  // the binary, the interpreter, or the script
    std::string
        cleared_by;  // a wrapper that keeps the connector's variables from it; see Unwrapped
};

Program resolve_program(const Command& command, const Environment& environment);

// As a shell finds it.
std::optional<std::string> find_program(const std::string& name, const Environment& environment);

}  // namespace quarry
