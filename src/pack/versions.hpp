// What a run depends on besides its data: the system, libraries, Pythons and what is installed.
#pragma once

#include <map>
#include <quarry/pack.hpp>

namespace quarry::pack_files {

// A Python, and what it says of the scripts that it ran.
struct AskedPython {
    PythonVersions versions;
    std::map<std::string, std::vector<std::string>> modules;  // by script

    // Files that a script imports from beside it.
    std::vector<std::string> modules_of(const std::string& script) const;
};

// By which a command can be started again; empty if it is no Python.
std::string interpreter_of(const PackedCommand& command);

AskedPython ask_python(const std::string& interpreter, const std::vector<std::string>& scripts);

// All but the Pythons.
Versions versions_here(const TraceFacts& facts);

}  // namespace quarry::pack_files
