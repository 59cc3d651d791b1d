#include "launch/doctor_python.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "launch/python.hpp"
#include "launch/witness.hpp"

namespace quarry {
namespace embedded {
extern const std::string_view proof_script;
}

namespace {

using Json = nlohmann::json;

constexpr std::string_view kAnswerMark = "quarry-proof:";
constexpr auto kPythonLimit = std::chrono::seconds(60);  // a cold import from a network disk

struct Answer {
    Json json;
    std::string problem;
};

std::string last_line(const std::string& text) {
    const auto lines = split(text, "\n");
    return lines.empty() ? "" : std::string(trim(lines.back()));
}

Answer run_proof(const std::string& python, const std::vector<std::string>& arguments,
                 const Environment& environment) {
    std::vector<std::string> command{python, "-c", std::string(embedded::proof_script)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_program(command, environment.entries(), kPythonLimit);
    Answer answer;
    const size_t mark = outcome.output.rfind(kAnswerMark);
    if (mark != std::string::npos)
        answer.json = Json::parse(outcome.output.substr(mark + kAnswerMark.size()), nullptr, false);
    if (!answer.json.is_object()) {
        const std::string said = last_line(outcome.errors);
        answer.problem = said.empty() ? outcome.describe() : outcome.describe() + ": " + said;
        answer.json = Json::object();
    } else if (answer.json.contains("error") && answer.json["error"].is_string()) {
        answer.problem = answer.json["error"];
    } else if (!outcome.succeeded()) {
        answer.problem = "it worked, but the process ended badly: " + outcome.describe();
    }
    return answer;
}

std::vector<std::string> hdf5_libraries(const Answer& answer) {
    std::vector<std::string> libraries;
    for (const auto& path : answer.json.value("libraries", std::vector<std::string>{}))
        if (is_hdf5_library(base_name(path))) libraries.push_back(path);
    return libraries;
}

// Runs packages in one process under the connector; what is wrong, or nothing.
std::string prove_with_connector(Examination& examination, const PythonSurvey& python,
                                 const std::vector<std::string>& packages,
                                 const std::vector<std::string>& libraries) {
    const std::string witness = examination.new_directory();
    const auto changes = examination.connector_changes(witness);
    if (!changes) return changes.error().message;
    std::vector<std::string> arguments{"prove", examination.new_directory()};
    arguments.insert(arguments.end(), packages.begin(), packages.end());
    const Answer answer =
        run_proof(python.path, arguments, with_changes(examination.environment(), *changes));
    if (!answer.problem.empty()) return answer.problem;
    return missing_proof(read_witnesses(witness), libraries);
}

void describe_old_package(Check& check, const PythonSurvey& python, const std::string& package) {
    check.health = Check::Health::Fails;
    check.detail = too_old(check.hdf5);
    check.remedy = fmt::format("{} -m pip install --upgrade {}", python.path, package);
}

Check check_package(Examination& examination, const PythonSurvey& python,
                    const std::string& package) {
    examination.step(fmt::format("trying {} in {}", package, python.path));
    Check check;
    check.subject = package;
    const Answer alone = run_proof(python.path, {"prove", examination.new_directory(), package},
                                   examination.without_quarry());
    const auto versions = alone.json.value("versions", std::map<std::string, std::string>{});
    if (versions.contains(package)) check.subject += " " + versions.at(package);
    const auto libraries = hdf5_libraries(alone);
    if (!alone.problem.empty()) {
        check.health = Check::Health::Fails;
        check.detail = "it does not work, even without Quarry: " + alone.problem;
        check.remedy = fmt::format("{} -m pip install --force-reinstall {}", python.path, package);
        return check;
    }
    if (libraries.empty()) {
        check.detail =
            "no libhdf5 in the process: HDF5 is linked into the package, where no plugin "
            "can reach it unless it exports its functions";
        check.health = Check::Health::Fails;
        return check;
    }
    check.library = libraries.front();
    if (const auto version = version_in(check.library)) check.hdf5 = version->text();
    if (!check.hdf5.empty() && parse_version(check.hdf5) < kFirstServed) {
        describe_old_package(check, python, package);
    } else if (!examination.plugin().usable()) {
        check.detail = "not tried, as there is no usable plugin";
    } else {
        const std::string problem = prove_with_connector(examination, python, {package}, libraries);
        check.health = problem.empty() ? Check::Health::Works : Check::Health::Fails;
        check.detail = problem.empty() ? kBothLayersSeen : problem + "; without Quarry it works";
    }
    return check;
}

// Wheels bring different HDF5 libraries that meet in one process whenever xarray is used.
void check_together(Examination& examination, const PythonSurvey& python, CheckGroup& group) {
    std::vector<std::string> packages;
    std::vector<std::string> libraries;
    std::vector<std::string> versions;
    for (const Check& check : group.checks) {
        if (check.health != Check::Health::Works) continue;
        packages.push_back(split(check.subject, " ").front());
        if (std::find(libraries.begin(), libraries.end(), check.library) != libraries.end())
            continue;
        libraries.push_back(check.library);
        versions.push_back(check.hdf5);
    }
    if (libraries.size() < 2) return;
    examination.step(fmt::format("trying {} together in {}", enumerate(packages), python.path));
    const std::string problem = prove_with_connector(examination, python, packages, libraries);
    Check check;
    check.subject = kAllInOneProcess;
    check.hdf5 = fmt::format("{}", fmt::join(versions, " + "));
    check.health = problem.empty() ? Check::Health::Works : Check::Health::Fails;
    check.detail = problem.empty() ? "both layers seen in each" : problem;
    group.checks.push_back(check);
}

// Packages that were not imported, but bring a HDF5 of their own.
void check_other_wheels(Examination& examination, const PythonSurvey& python, CheckGroup& group) {
    for (const Hdf5Library& library :
         python_libraries(python.executable, examination.environment())) {
        const bool covered =
            std::any_of(std::begin(kHdf5Packages), std::end(kHdf5Packages),
                        [&](const std::string& name) { return name == library.owner; });
        const bool known =
            std::any_of(group.checks.begin(), group.checks.end(),
                        [&](const Check& check) { return check.library == library.path; });
        if (!covered && !known) group.checks.push_back(examination.check_library(library));
    }
}

}  // namespace

PythonSurvey survey_python(const Examination& examination, const std::string& path) {
    examination.step("asking " + path);
    PythonSurvey survey;
    survey.path = path;
    const Answer answer = run_proof(path, {"survey"}, examination.environment());
    survey.problem = answer.problem;
    survey.version = answer.json.value("version", "");
    survey.executable = answer.json.value("executable", path);
    survey.prefix = answer.json.value("prefix", path);
    survey.packages = answer.json.value("packages", std::vector<std::string>{});
    return survey;
}

CheckGroup examine_python(Examination& examination, const PythonSurvey& python) {
    CheckGroup group;
    group.title = fmt::format("Python {} ({})", python.version, python.executable);
    if (!python.problem.empty()) {
        group.title = fmt::format("Python ({})", python.path);
        group.checks.push_back(
            {Check::Health::Fails, "python", "", "", "it does not start: " + python.problem, ""});
        return group;
    }
    for (const std::string& package : python.packages)
        group.checks.push_back(check_package(examination, python, package));
    check_together(examination, python, group);
    check_other_wheels(examination, python, group);
    if (group.checks.empty())
        group.checks.push_back({Check::Health::Noted, "no HDF5", "", "",
                                "none of h5py, netCDF4 and tables is installed in it",
                                python.executable + " -m pip install h5py"});
    return group;
}

}  // namespace quarry
