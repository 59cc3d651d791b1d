#include "launch/examination.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "launch/compose.hpp"
#include "launch/probe.hpp"
#include "launch/witness.hpp"

namespace quarry {

Examination::Examination(Environment environment, Plugin plugin, Announce announce,
                         TemporaryDirectory scratch)
    : environment_(std::move(environment)),
      plugin_(std::move(plugin)),
      announce_(std::move(announce)),
      scratch_(std::move(scratch)) {}

Result<Examination> Examination::begin(const Environment& environment, const Plugin& plugin,
                                       const Announce& announce) {
    auto scratch = TemporaryDirectory::create();
    if (!scratch) return scratch.error();
    return Examination(environment, plugin, announce, std::move(*scratch));
}

std::string Examination::new_directory() {
    const std::string path = scratch_.path() + "/" + std::to_string(++directories_);
    std::error_code ignored;
    std::filesystem::create_directories(path, ignored);
    return path;
}

Result<std::vector<EnvironmentChange>> Examination::connector_changes(
    const std::string& witness) const {
    LaunchOptions options;
    options.witness = witness;
    options.bytes = true;
    return compose_connector(environment_, options, plugin_.directory());
}

Environment Examination::without_quarry() const {
    return with_changes(environment_, compose_aside(environment_));
}

Check Examination::check_library(const Hdf5Library& library) {
    const auto known = known_.find(library.path);
    if (known != known_.end()) {
        Check again = known->second;
        again.subject = library.owner;
        return again;
    }
    step(fmt::format("trying {} ({})", library.owner, library.path));
    Check check;
    check.subject = library.owner;
    check.library = library.path;
    const LibraryAnswer answer = ask_library(library.path);
    const std::string in_file = library.version ? library.version->text() : "";
    check.hdf5 = answer.version.empty() ? in_file : answer.version;
    if (!answer.problem.empty()) {
        check.health = Check::Health::Fails;
        check.detail = "the library cannot be loaded: " + answer.problem;
    } else if (parse_version(check.hdf5) < kFirstServed) {
        check.health = Check::Health::Fails;
        check.detail = too_old(check.hdf5);
        check.remedy = "use a build with HDF5 1.14 or newer (Debian 13, conda-forge, or your own)";
    } else if (!plugin_.usable()) {
        check.detail = "not tried, as there is no usable plugin";
    } else {
        prove_library(check);
        if (answer.parallel) check.detail += "; a parallel (MPI) build";
    }
    known_[library.path] = check;
    return check;
}

void Examination::prove_library(Check& check) {
    const std::string directory = new_directory();
    const std::string witness = new_directory();
    const auto changes = connector_changes(witness);
    std::string problem = changes ? exercise_library(check.library, directory + "/with", *changes)
                                  : changes.error().message;
    if (problem.empty()) problem = missing_proof(read_witnesses(witness), {check.library});
    check.health = problem.empty() ? Check::Health::Works : Check::Health::Fails;
    check.detail = problem.empty() ? kBothLayersSeen : problem;
    if (problem.empty()) return;
    const bool works_alone =
        exercise_library(check.library, directory + "/without", compose_aside(environment_))
            .empty();
    check.detail +=
        works_alone ? "; without Quarry it works" : "; it does not work without Quarry either";
}

std::string too_old(const std::string& version) {
    const bool ignores = parse_version(version) < kFirstWithConnectors;
    return fmt::format(
        "HDF5 {} is too old: Quarry needs 1.14 or newer. `quarry run` starts it "
        "without Quarry, as it would {}",
        version, ignores ? "not see the connector" : "refuse to start with the connector");
}

}  // namespace quarry
