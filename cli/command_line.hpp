// From the words on the command line to a verb, or to an error that says what was meant.
#pragma once

#include <string>
#include <vector>

namespace quarry::cli {

// Returns the exit code.
int run_command_line(const std::vector<std::string>& words);

}  // namespace quarry::cli
