// How a worker tells what has become of its job.
#pragma once

#include "carve/job.hpp"

namespace quarry::carve_files {

std::string message_of(const Job& job);

// False if it is no whole message.
bool read_message(std::string_view message, Job& job);

}  // namespace quarry::carve_files
