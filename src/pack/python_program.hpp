// What command lines of Python say to run.
#pragma once

#include <compare>
#include <quarry/pack.hpp>

namespace quarry::pack_files {

struct PythonProgram {
    enum class Kind : uint8_t { Script, Module, Code };

    Kind kind = Kind::Script;
    std::string what;  // an absolute path, a name, or the code itself; empty if nothing is named
    std::string directory;

    auto operator<=>(const PythonProgram&) const = default;
};
const char* name_of(PythonProgram::Kind kind);

// Whether this is a process that multiprocessing or its like has started: what it is to do is told
// only by the program that it works for.
bool is_worker_of_python(const std::vector<std::string>& command);

// Whether that program started another process first, which started the worker.
bool is_forked_for_python(const std::vector<std::string>& command);

// Of a command whose program is a Python.
PythonProgram python_program_of(const PackedCommand& command);

}  // namespace quarry::pack_files
