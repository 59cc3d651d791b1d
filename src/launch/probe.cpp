#include "launch/probe.hpp"

#include <cstdlib>
#include <iostream>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "hdf5/probe.hpp"
#include "launch/compose.hpp"

namespace quarry {
namespace {

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
    std::cout << std::flush;
    return 0;
}

}  // namespace

LibraryAnswer ask_library(const std::string& library) {
    const Outcome outcome =
        run_forked([&] { return report_facts(library); }, std::chrono::seconds(20));
    LibraryAnswer answer;
    if (!outcome.succeeded()) {
        answer.problem = problem_of(outcome);
        return answer;
    }
    for (const std::string& line : split(outcome.output, "\n")) {
        if (line.starts_with("version ")) answer.version = line.substr(8);
        if (line == "parallel") answer.parallel = true;
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

}  // namespace quarry
