// Which task of a workflow a command is.
#pragma once

#include <quarry/launch.hpp>

namespace quarry {

// The command itself, or nothing where a workflow manager has named the task in the environment.
std::string task_of(const Command& command, const Environment& environment);

}  // namespace quarry
