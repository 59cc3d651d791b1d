// What a run depends on besides its data: the system, libraries, Pythons and what is installed.
#pragma once

#include <map>

#include "pack/python_program.hpp"

namespace quarry::pack_files {

// What a program loads that is not installed.
struct Imports {
    std::vector<std::string> modules;      // their files
    std::vector<std::string> python_path;  // where only PYTHONPATH, or its like, leads to them
    // Why others that it loads are not known, by the file that says so.
    std::map<std::string, std::string> not_followed;
};

// A Python, and what it says of the programs that it ran.
struct AskedPython {
    PythonVersions versions;
    std::vector<Imports> programs;  // as they were named; empty if it could not be asked
};

// The program of a command, by the path that it was started by.
std::string program_of(const PackedCommand& command);

// The same, of a Python; empty if it is none.
std::string interpreter_of(const PackedCommand& command);

AskedPython ask_python(const std::string& interpreter, const std::vector<PythonProgram>& programs);

// All but the Pythons.
Versions versions_here(const TraceFacts& facts);

}  // namespace quarry::pack_files
