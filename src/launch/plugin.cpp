#include <filesystem>
#include <iostream>
#include <quarry/launch.hpp>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "hdf5/probe.hpp"

namespace quarry {
namespace {

constexpr const char* kFileName = "libquarry_connector.so";

std::string expected_path() {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return kFileName;
    return program.parent_path().parent_path() / "lib" / "quarry" / kFileName;
}

// In a child: a plugin that crashes while it loads must not take the program along.
std::string load_problem(const std::string& path) {
    const auto load = [&path] {
        const auto loaded = hdf5::load_plugin(path);
        if (!loaded) std::cout << loaded.error().message << std::flush;
        return loaded ? 0 : 1;
    };
    const Outcome outcome = run_forked(load, std::chrono::seconds(10));
    if (outcome.succeeded()) return {};
    const std::string why =
        outcome.output.empty() ? outcome.describe() : std::string(trim(outcome.output));
    return "the plugin does not load: " + why;
}

}  // namespace

Plugin find_plugin() {
    Plugin plugin{expected_path(), {}};
    if (!std::filesystem::exists(plugin.path))
        plugin.problem = "there is no plugin at " + plugin.path +
                         "; build it with `make build`, or install Quarry again";
    else
        plugin.problem = load_problem(plugin.path);
    return plugin;
}

}  // namespace quarry
