// Programs that start another one: `nice`, `timeout`, `sudo`, `srun`. Which program they start, and
// whether the variables that select the connector get through to it.
#pragma once

#include <quarry/launch.hpp>
#include <string>

namespace quarry {

struct Unwrapped {
    Command command;         // what is started in the end; empty when that cannot be told
    std::string cleared_by;  // "sudo clears the environment", or empty
};

Unwrapped unwrap(Command command);

}  // namespace quarry
