// What ran in a trace, and the files that command lines name.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

// Of these tasks, or of all where there are none; in the order of their start.
std::vector<PackedCommand> commands_of(const TraceFacts& facts,
                                       const std::vector<std::string>& tasks);

std::string text_of(const PackedCommand& command);

// Whether it lies where packages of the system put files.
bool is_of_system(const std::string& path);

// Files that the command names, as absolute paths: scripts, settings, programs that do not belong
// to the system, data.
std::vector<std::string> files_named(const PackedCommand& command);

// Where its words find programs: a Python that was started by its name alone finds itself there,
// and other commands those that the run has used.
std::vector<std::string> program_folders(const PackedCommand& command, const Pack& pack);

// Whether a secret was taken out of it, so that it cannot be run as it is.
bool lacks_secret(const PackedCommand& command);

// Why it cannot be repeated, for want of the commands that have started others; empty if it can.
std::string missing_origin(const Pack& pack);

}  // namespace quarry::pack_files
