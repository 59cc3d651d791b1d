#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <quarry/doctor.hpp>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "launch/command.hpp"
#include "launch/compose.hpp"
#include "launch/doctor_python.hpp"
#include "launch/examination.hpp"
#include "launch/library.hpp"

namespace quarry {
namespace {

using Health = Check::Health;

// The programs that people with HDF5 files have, if any.
constexpr const char* kPrograms[] = {"h5dump", "ncdump", "ncks", "cdo", "gdalinfo"};

std::vector<std::string> pythons_here(const Environment& environment) {
    std::vector<std::string> candidates;
    for (const char* name : {"python3", "python"})
        if (const auto path = find_program(name, environment)) candidates.push_back(*path);
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto prefix = environment.get(variable))
            candidates.push_back(*prefix + "/bin/python");
    candidates.push_back(".venv/bin/python");
    std::erase_if(candidates, [](const std::string& path) {
        std::error_code ignored;
        return !std::filesystem::exists(path, ignored);
    });
    return candidates;
}

void examine_pythons(Examination& examination, const std::vector<std::string>& paths,
                     Diagnosis& diagnosis) {
    std::vector<PythonSurvey> seen;
    for (const std::string& path : paths) {
        const PythonSurvey survey = survey_python(examination, path);
        const bool again = std::any_of(seen.begin(), seen.end(), [&](const PythonSurvey& other) {
            return survey.same_as(other);
        });
        if (again) continue;
        seen.push_back(survey);
        diagnosis.groups.push_back(examine_python(examination, survey));
    }
}

Check check_plugin(const Plugin& plugin) {
    if (plugin.usable()) return {Health::Works, "plugin", "", plugin.path, "it loads", ""};
    return {Health::Fails, "plugin",       "",
            plugin.path,   plugin.problem, "`make build` in Quarry's source, or install it again"};
}

void check_variables(const Environment& environment, std::vector<Check>& checks) {
    const auto choice = connector_choice(environment.get(kConnectorVariable).value_or(""));
    if (!choice.name.empty() && choice.name != "native" && choice.name != "quarry")
        checks.push_back(
            {Health::Noted, kConnectorVariable, "", "",
             fmt::format("it names the connector {}: Quarry stands on it", choice.name), ""});
    if (environment.get(kPreloadVariable) == "::")
        checks.push_back(
            {Health::Fails, kPreloadVariable, "", "",
             "its value `::` tells HDF5 to load no plugins, so Quarry cannot be loaded",
             std::string("unset ") + kPreloadVariable});
    for (const std::string& path : split(environment.get(kPluginPathVariable).value_or(""), ":")) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(path, ignored))
            checks.push_back({Health::Noted, kPluginPathVariable, "", "",
                              fmt::format("it names {}, which is not a directory", path), ""});
    }
}

Check check_static(const Hdf5Library& library) {
    Check check{Health::Fails, library.owner,       library.version ? library.version->text() : "",
                library.path,  library.objection(), ""};
    if (library.served()) {
        check.health = Health::Noted;
        check.detail =
            "HDF5 is linked into the program, which exports its functions: the connector "
            "can reach it, but this can only be seen by running it";
        check.remedy = "quarry run --witness DIR -- " + library.path;
    }
    return check;
}

Check check_program(Examination& examination, const std::string& name, const std::string& path) {
    const Linked linked = linked_hdf5(path, examination.environment());
    if (linked.hdf5 && linked.hdf5->linked_in) return check_static(*linked.hdf5);
    if (linked.hdf5) {
        Hdf5Library library = *linked.hdf5;
        library.owner = name;
        return examination.check_library(library);
    }
    if (!linked.missing.empty())
        return {Health::Fails,
                name,
                "",
                path,
                fmt::format("it needs {}, which the dynamic loader does not find", linked.missing),
                "install that library, or name its directory in LD_LIBRARY_PATH"};
    return {Health::Noted,
            name,
            "",
            path,
            "it is not linked with HDF5; programs that it starts, and a HDF5 that it loads later, "
            "run under the connector if they can",
            ""};
}

void examine_command(Examination& examination, const Command& command, Diagnosis& diagnosis) {
    const Program program = resolve_program(command, examination.environment());
    CheckGroup group{"The command", {}};
    const std::string name = base_name(program.path.empty() ? command.front() : program.path);
    if (!program.cleared_by.empty())
        group.checks.push_back({Health::Fails, base_name(command.front()), "", "",
                                program.cleared_by + ", and the connector is chosen by variables",
                                base_name(command.front()) + " ... quarry run -- PROGRAM"});
    if (program.kind == Program::Kind::Binary)
        group.checks.push_back(check_program(examination, name, program.path));
    else if (program.kind == Program::Kind::Script)
        group.checks.push_back({Health::Noted, name, "", program.path,
                                "a script: what it starts cannot be told beforehand",
                                "quarry doctor -- the programs that it starts"});
    else if (program.kind == Program::Kind::Unknown && program.cleared_by.empty())
        group.checks.push_back({Health::Fails, command.front(), "", program.path,
                                program.path.empty() ? "there is no such program"
                                                     : "it is neither a program nor a script",
                                "check the spelling and your PATH"});
    if (!group.checks.empty()) diagnosis.groups.push_back(group);
    if (program.kind == Program::Kind::Python)
        examine_pythons(examination, {program.path}, diagnosis);
}

void examine_surroundings(Examination& examination, Diagnosis& diagnosis) {
    examine_pythons(examination, pythons_here(examination.environment()), diagnosis);
    CheckGroup programs{"Programs", {}};
    for (const char* name : kPrograms)
        if (const auto path = find_program(name, examination.environment()))
            programs.checks.push_back(check_program(examination, name, *path));
    if (!programs.checks.empty()) diagnosis.groups.push_back(programs);
}

std::vector<const Check*> checks_with(const Diagnosis& diagnosis, Health health) {
    std::vector<const Check*> found;
    for (const CheckGroup& group : diagnosis.groups)
        for (const Check& check : group.checks)
            if (check.health == health) found.push_back(&check);
    return found;
}

// "h5py", "h5dump": once each, without their versions.
std::vector<std::string> names_of(const std::vector<const Check*>& checks) {
    std::vector<std::string> names;
    for (const Check* check : checks) {
        const std::string name = check->subject == kAllInOneProcess
                                     ? check->subject
                                     : check->subject.substr(0, check->subject.find(' '));
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

std::string first_remedy(const std::vector<const Check*>& checks) {
    for (const Check* check : checks)
        if (!check->remedy.empty()) return check->remedy;
    return {};
}

void conclude(const Command& command, const Plugin& plugin, Diagnosis& diagnosis) {
    auto works = checks_with(diagnosis, Health::Works);
    std::erase_if(works, [](const Check* check) {
        return check->hdf5.empty() || check->subject == kAllInOneProcess;
    });
    const auto fails = checks_with(diagnosis, Health::Fails);
    const auto noted = checks_with(diagnosis, Health::Noted);
    const bool any_hdf5 =
        !works.empty() || std::any_of(noted.begin(), noted.end(),
                                      [](const Check* check) { return !check->hdf5.empty(); });
    diagnosis.healthy = fails.empty() && any_hdf5;
    if (!plugin.usable()) {
        diagnosis.verdict =
            "Quarry's plugin cannot be used: `quarry run` starts programs without it.";
        diagnosis.next = first_remedy(fails);
    } else if (!fails.empty()) {
        const std::string good =
            works.empty() ? "" : enumerate(names_of(works)) + ": fine under Quarry. ";
        diagnosis.verdict = fmt::format("{}Not fine: {}.", good, enumerate(names_of(fails)));
        diagnosis.next = first_remedy(fails);
    } else if (!any_hdf5) {
        diagnosis.verdict =
            command.empty() ? "No HDF5 was found here." : "No HDF5 was found in this command.";
        diagnosis.next = noted.empty() ? "python3 -m pip install h5py" : first_remedy(noted);
    } else if (works.empty()) {
        diagnosis.verdict = "It should work under Quarry, but only running it can show that.";
        diagnosis.next = first_remedy(noted);
    } else {
        diagnosis.verdict = "Everything found here works under Quarry.";
        diagnosis.next = command.empty() ? "quarry run -- python3 your_script.py"
                                         : fmt::format("quarry run -- {}", fmt::join(command, " "));
    }
}

Result<Diagnosis> examine(const Command& command, const Environment& environment,
                          const Plugin& plugin, const Announce& announce) {
    auto examination = Examination::begin(environment, plugin, announce);
    if (!examination) return examination.error();
    Diagnosis diagnosis;
    CheckGroup installation{"Quarry", {check_plugin(plugin)}};
    check_variables(environment, installation.checks);
    diagnosis.groups.push_back(installation);
    if (command.empty())
        examine_surroundings(*examination, diagnosis);
    else
        examine_command(*examination, command, diagnosis);
    conclude(command, plugin, diagnosis);
    return diagnosis;
}

}  // namespace

Result<Diagnosis> diagnose(const Command& command, const Environment& environment,
                           const Plugin& plugin, const Announce& announce) {
    auto guard = std::make_unique<InterruptGuard>();
    auto diagnosis = examine(command, environment, plugin, announce);
    const int signal = InterruptGuard::signal();
    guard.reset();
    if (signal) {
        // Everything is cleaned up: end as the sender of the signal expects.
        raise(signal);
        return Error{"interrupted"};
    }
    return diagnosis;
}

}  // namespace quarry
