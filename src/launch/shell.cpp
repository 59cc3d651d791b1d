#include <fmt/format.h>

#include <quarry/launch.hpp>

#include "base/text.hpp"

namespace quarry {
namespace {

// csh still expands `!` there, and ends the line at a newline that is not escaped.
std::string quote_csh(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else if (c == '!' || c == '\n')
            quoted += std::string("\\") + c;
        else
            quoted += c;
    }
    return quoted + "'";
}

// fish takes the backslash as an escape inside single quotes.
std::string quote_fish(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

std::string command_for(const EnvironmentChange& change, Shell shell) {
    const std::string& name = change.name;
    switch (shell) {
        case Shell::Posix:
            return change.value ? fmt::format("export {}={}", name, shell_quoted(*change.value))
                                : "unset " + name;
        case Shell::C:
            return change.value ? fmt::format("setenv {} {}", name, quote_csh(*change.value))
                                : "unsetenv " + name;
        case Shell::Fish:
            return change.value ? fmt::format("set -gx {} {}", name, quote_fish(*change.value))
                                : "set -e " + name;
    }
    return {};
}

}  // namespace

std::string shell_commands(const std::vector<EnvironmentChange>& changes, Shell shell) {
    std::string text;
    // The semicolons keep the lines apart where eval joins them, as in csh.
    for (const EnvironmentChange& change : changes) text += command_for(change, shell) + ";\n";
    return text;
}

}  // namespace quarry
