#include "launch/probe.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "hdf5/probe.hpp"
#include "launch/compose.hpp"

namespace quarry {
namespace {

// What HDF5 is built with unless its builder says otherwise.
constexpr const char* kUsualPluginPath = "/usr/local/hdf5/lib/plugin";
constexpr std::string_view kPathMark = "plugins ";

std::string problem_of(const Outcome& outcome) {
    const std::string said(trim(outcome.output.empty() ? outcome.errors : outcome.output));
    const std::string end = outcome.end == Outcome::End::Exited ? "" : outcome.describe();
    if (said.empty()) return outcome.describe();
    return end.empty() ? said : end + ": " + said;
}

int report_facts(const std::string& library) {
    for (const char* variable : {kConnectorVariable, kPluginPathVariable, kPreloadVariable})
        unsetenv(variable);
    const auto facts = hdf5::ask_library(library);
    if (!facts) {
        std::cout << facts.error().message << std::flush;
        return 1;
    }
    std::cout << "version " << facts->version << '\n';
    if (facts->parallel) std::cout << "parallel\n";
    for (const std::string& path : facts->plugin_paths) std::cout << kPathMark << path << '\n';
    std::cout << std::flush;
    return 0;
}

}  // namespace

LibraryAnswer ask_library(const std::string& library, Patience patience) {
    const auto limit = std::chrono::milliseconds(patience == Patience::Milliseconds ? 250 : 20'000);
    const Outcome outcome = run_forked([&] { return report_facts(library); }, limit);
    LibraryAnswer answer;
    if (!outcome.succeeded()) {
        answer.problem = problem_of(outcome);
        return answer;
    }
    for (const std::string& line : split(outcome.output, "\n")) {
        if (line.starts_with("version ")) answer.version = line.substr(8);
        if (line == "parallel") answer.parallel = true;
        if (line.starts_with(kPathMark))
            answer.plugin_paths.push_back(line.substr(kPathMark.size()));
    }
    return answer;
}

std::string exercise_library(const std::string& library, const std::string& file,
                             const std::vector<EnvironmentChange>& changes) {
    const auto body = [&] {
        for (const auto& [name, value] : changes)
            value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
        const auto work = hdf5::exercise_library(library, file);
        if (!work) std::cout << work.error().message << std::flush;
        return work ? 0 : 1;
    };
    const Outcome outcome = run_forked(body, std::chrono::seconds(20));
    return outcome.succeeded() ? "" : problem_of(outcome);
}

std::vector<std::string> default_plugin_paths(const std::vector<std::string>& libraries) {
    std::vector<std::string> paths;
    for (const std::string& library : libraries) {
        LibraryAnswer answer = ask_library(library, Patience::Milliseconds);
        if (answer.plugin_paths.empty()) answer.plugin_paths = {kUsualPluginPath};
        for (const std::string& path : answer.plugin_paths)
            if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
    if (paths.empty()) paths = {kUsualPluginPath};
    return paths;
}

}  // namespace quarry
