#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <quarry/launch.hpp>

#include "base/subprocess.hpp"
#include "launch/command.hpp"

namespace quarry {

ExecFailure become(const Command& command, const Environment& environment) {
    const std::vector<char*> arguments = exec_array(command);
    const std::vector<std::string> entries = environment.entries();
    const std::vector<char*> variables = exec_array(entries);
    execvpe(arguments[0], arguments.data(), variables.data());
    const int why = errno;

    const std::string& name = command.front();
    const auto path = find_program(name, environment);
    if (why == ENOENT && !path)
        return {127, fmt::format("{}: command not found. Check the spelling and your PATH, or give "
                                 "the path of the program.",
                                 name)};
    if (why == ENOENT)
        return {126, fmt::format("{} cannot be executed: the interpreter or loader that it names "
                                 "in its first line or header does not exist.",
                                 *path)};
    return {why == ENOTDIR ? 127 : 126,
            fmt::format("{} cannot be executed: {}.{}", path.value_or(name), std::strerror(why),
                        why == EACCES ? " If it is a program, `chmod +x` it; a script can be given "
                                        "to its interpreter instead."
                                      : "")};
}

}  // namespace quarry
