// What HDF5 is here, and whether Quarry works in it, proven by doing it.
#pragma once

#include <functional>
#include <quarry/launch.hpp>
#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry {

struct Check {
    enum class Health { Works, Fails, Noted };

    Health health = Health::Noted;
    std::string subject;  // "h5py 3.16.0", "h5dump"
    std::string hdf5;     // "2.0.0", where one was found
    std::string library;  // the file it is in
    std::string detail;   // what was seen
    std::string remedy;   // what to do about it; empty where nothing is to be done
};

// Checks that belong together: one Python, the programs, the installation.
struct CheckGroup {
    std::string title;
    std::vector<Check> checks;
};

struct Diagnosis {
    std::vector<CheckGroup> groups;
    bool healthy = false;
    std::string verdict;  // in plain words
    std::string next;     // what to type
};

using Announce = std::function<void(const std::string& step)>;

// Looks at one command, or without one at the Pythons and HDF5 programs that are here. Fails only
// when it could not work at all (no temporary directory) or was interrupted.
Result<Diagnosis> diagnose(const Command& command, const Environment& environment,
                           const Plugin& plugin, const Announce& announce);

}  // namespace quarry
