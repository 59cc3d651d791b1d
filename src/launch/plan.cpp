#include <algorithm>
#include <filesystem>
#include <quarry/launch.hpp>

#include "base/elf.hpp"
#include "base/text.hpp"
#include "launch/command.hpp"
#include "launch/compose.hpp"
#include "launch/library.hpp"
#include "launch/python.hpp"
#include "launch/task.hpp"
#include "trace/process_record.hpp"

namespace quarry {
namespace {

// Stands for what a batch script is likely to start.
constexpr const char* kUsualPrograms[] = {"python3", "h5dump", "ncdump"};

std::vector<Hdf5Library> libraries_of(const Program& program, const Environment& environment) {
    if (program.kind == Program::Kind::Python) return python_libraries(program.path, environment);
    if (program.kind != Program::Kind::Binary) return {};
    const auto linked = linked_hdf5(program.path, environment).hdf5;
    return linked ? std::vector{*linked} : std::vector<Hdf5Library>{};
}

std::vector<Hdf5Library> usual_libraries(const Environment& environment) {
    std::vector<Hdf5Library> libraries;
    for (const char* name : kUsualPrograms) {
        const auto found = libraries_of(resolve_program({name}, environment), environment);
        libraries.insert(libraries.end(), found.begin(), found.end());
    }
    return libraries;
}

// Whether it would refuse to start with another library preloaded.
bool must_be_loaded_first(const Program& program) {
    if (program.kind != Program::Kind::Binary) return false;
    const auto elf = ElfFile::open(program.path);
    return elf && std::any_of(elf->needed().begin(), elf->needed().end(), [](const auto& name) {
               return name.starts_with("libasan") || name.starts_with("liblsan") ||
                      name.starts_with("libtsan");
           });
}

// Reasons that hold whatever the program is.
std::vector<std::string> general_reasons(const Environment& environment, const Plugin& plugin) {
    std::vector<std::string> reasons;
    if (!plugin.usable()) reasons.push_back(plugin.problem);
    if (environment.get(kPreloadVariable) == "::")
        reasons.push_back(
            "HDF5_PLUGIN_PRELOAD=:: in the environment tells HDF5 to load no plugins");
    return reasons;
}

LaunchPlan aside(const Environment& environment, std::vector<std::string> reasons) {
    return {LaunchPlan::Route::Aside, compose_aside(environment), "", std::move(reasons)};
}

// Made here, and its name made absolute: the program may change its directory.
Result<std::string> made_directory(const std::string& name, const char* option) {
    std::error_code failed;
    const auto directory = std::filesystem::absolute(name, failed);
    if (!failed) std::filesystem::create_directories(directory, failed);
    if (failed)
        return Error{"The directory " + name + " for " + option +
                     " cannot be made: " + failed.message() + "."};
    return directory.string();
}

Result<LaunchOptions> with_directories(LaunchOptions options) {
    if (!options.witness.empty()) {
        auto witness = made_directory(options.witness, "--witness");
        if (!witness) return witness.error();
        options.witness = *witness;
    }
    if (options.recording == LaunchOptions::Recording::On) {
        auto trace = made_directory(options.trace, "--trace");
        if (!trace) return trace.error();
        options.trace = *trace;
    }
    return options;
}

// A program that is not told where to record follows an outer `quarry run`, if there is one.
LaunchOptions with_defaults(LaunchOptions options, const Environment& environment) {
    if (options.recording != LaunchOptions::Recording::On || !options.trace.empty()) return options;
    const std::string outer = inherited_config(environment).trace;
    options.trace = outer.empty() ? kDefaultTrace : outer;
    return options;
}

Result<LaunchPlan> through_connector(const Environment& environment, const LaunchOptions& options,
                                     const Plugin& plugin, std::vector<std::string> reasons) {
    const auto prepared = with_directories(with_defaults(options, environment));
    if (!prepared) return prepared.error();
    auto changes = compose_connector(environment, *prepared, plugin.directory());
    if (!changes) {
        const bool asked = !options.witness.empty() || !options.under.empty();
        if (asked) return changes.error();
        reasons.push_back(changes.error().message);
        return aside(environment, std::move(reasons));
    }
    if (!options.task.empty()) changes->push_back({trace::kTaskVariable, options.task});
    return LaunchPlan{LaunchPlan::Route::Connector, std::move(*changes), prepared->trace,
                      std::move(reasons)};
}

// The connector serves one directory, but the files of the outer one would still be seen.
Result<bool> check_served(const Environment& environment, const std::string& carved) {
    const std::string outer = inherited_config(environment).carved;
    if (outer.empty() || carved.empty() || outer == carved) return true;
    return Error{"This command runs on the carved files in " + outer +
                 " already, which would not be completed any more if those in " + carved +
                 " were shown to a program as well. Carve both into one directory."};
}

}  // namespace

Result<LaunchPlan> plan_launch(const Command& command, const Environment& environment,
                               const LaunchOptions& options, const Plugin& plugin) {
    if (const auto served = check_served(environment, options.serving.carved); !served)
        return served.error();
    std::vector<std::string> reasons = general_reasons(environment, plugin);
    if (!reasons.empty()) return aside(environment, reasons);

    const Program program = resolve_program(command, environment);
    if (!program.cleared_by.empty())
        reasons.push_back(program.cleared_by + "; start Quarry behind it, as in `" +
                          base_name(command.front()) + " ... quarry run -- PROGRAM`");
    bool endangered = false;
    bool any_served = false;
    const auto libraries = libraries_of(program, environment);
    for (const Hdf5Library& library : libraries) {
        if (!library.served()) reasons.push_back(library.objection());
        endangered |= library.endangered();
        any_served |= library.served();
    }
    const bool pointless = !libraries.empty() && !any_served;
    if (endangered || pointless) return aside(environment, reasons);
    LaunchOptions chosen = options;
    if (chosen.task.empty()) chosen.task = task_of(command, environment);
    if (chosen.files && must_be_loaded_first(program)) {
        chosen.files = false;
        reasons.push_back(
            "it is built with a sanitizer, whose library wants to be the first, so "
            "its use of files other than HDF5 is not recorded");
    }
    return through_connector(environment, chosen, plugin, std::move(reasons));
}

Result<LaunchPlan> plan_environment(const Environment& environment, const LaunchOptions& options,
                                    const Plugin& plugin) {
    std::vector<std::string> reasons = general_reasons(environment, plugin);
    if (!reasons.empty()) return aside(environment, reasons);
    const auto libraries = usual_libraries(environment);
    for (const Hdf5Library& library : libraries)
        if (!library.served()) reasons.push_back(library.objection());
    return through_connector(environment, options, plugin, std::move(reasons));
}

}  // namespace quarry
