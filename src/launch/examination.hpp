// What the parts of `quarry doctor` share: the surroundings, a place to write, and the checks on
// one HDF5 library.
#pragma once

#include <map>
#include <quarry/doctor.hpp>
#include <string>
#include <vector>

#include "base/temporary_directory.hpp"
#include "launch/library.hpp"

namespace quarry {

class Examination {
public:
    static Result<Examination> begin(const Environment& environment, const Plugin& plugin,
                                     const Announce& announce);

    const Environment& environment() const { return environment_; }
    const Plugin& plugin() const { return plugin_; }
    void step(const std::string& what) const { announce_(what); }

    // An empty directory of its own for one attempt.
    std::string new_directory();

    // The variables under which `quarry run` would start something with these libraries, plus a
    // place for proof.
    Result<std::vector<EnvironmentChange>> connector_changes(const std::string& witness) const;

    // The surroundings without an outer Quarry.
    Environment without_quarry() const;

    // Loads the library itself, with and without the connector, and works with it.
    Check check_library(const Hdf5Library& library);

private:
    Examination(Environment environment, Plugin plugin, Announce announce,
                TemporaryDirectory scratch);
    void prove_library(Check& check);

    Environment environment_;
    Plugin plugin_;
    Announce announce_;
    TemporaryDirectory scratch_;
    int directories_ = 0;
    std::map<std::string, Check> known_;  // by library: programs share them
};

// Sentences that several checks need.
std::string too_old(const std::string& version);
inline constexpr const char* kBothLayersSeen = "wrote and read a file, both layers seen";

}  // namespace quarry
