#include "pack/versions.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <quarry/launch.hpp>

#include "base/subprocess.hpp"
#include "base/text.hpp"

namespace quarry {
namespace embedded {
extern const std::string_view ask_python;
}

namespace pack_files {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr auto kPythonLimit = std::chrono::seconds(120);  // a slow disk, many packages

std::map<std::string, std::string> os_release() {
    std::map<std::string, std::string> values;
    for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            const size_t equals = line.find('=');
            if (equals == std::string::npos) continue;
            std::string value = line.substr(equals + 1);
            if (value.size() >= 2 && (value.front() == '"' || value.front() == '\''))
                value = value.substr(1, value.size() - 2);
            values.try_emplace(line.substr(0, equals), value);
        }
    }
    return values;
}

bool is_python(const std::string& program) {
    return base_name(program).starts_with("python");
}

void read_answer(const Json& json, AskedPython& asked) {
    PythonVersions& versions = asked.versions;
    versions.version = json.at("version");
    versions.prefix = json.at("prefix");
    versions.is_virtual = json.at("virtual");
    versions.is_of_system = json.at("of_system");
    for (const Json& one : json.at("distributions"))
        versions.distributions.push_back({one.at(0), one.at(1), one.at(2)});
    versions.system_files = json.at("system_files");
    for (const Json& one : json.at("programs"))
        asked.programs.push_back(
            {one.at("modules"), one.at("python_path"), one.at("not_followed")});
}

}  // namespace

std::string program_of(const PackedCommand& command) {
    return fs::path(command.program).lexically_normal();
}

std::string interpreter_of(const PackedCommand& command) {
    return is_python(command.program) ? program_of(command) : "";
}

AskedPython ask_python(const std::string& interpreter, const std::vector<PythonProgram>& programs) {
    std::vector<std::string> command{interpreter, "-c", std::string(embedded::ask_python)};
    for (const PythonProgram& one : programs)
        command.insert(command.end(), {name_of(one.kind), one.what, one.directory});
    const Outcome outcome = run_program(command, Environment::of_process().entries(), kPythonLimit);
    AskedPython asked;
    asked.versions.interpreter = interpreter;
    try {
        read_answer(Json::parse(outcome.output), asked);
    } catch (const Json::exception&) {
        asked.programs.clear();
        asked.versions.problem = "it did not say what is installed: " + outcome.describe();
    }
    return asked;
}

Versions versions_here(const TraceFacts& facts) {
    Versions versions;
    auto release = os_release();
    versions.quarry = QUARRY_VERSION;
    versions.system = release["ID"];
    versions.system_version = release["VERSION_ID"];
    versions.system_name = release["PRETTY_NAME"];
    versions.system_codename = release["VERSION_CODENAME"];
    utsname names{};
    if (uname(&names) == 0) {
        versions.kernel = names.release;
        versions.machine = names.machine;
    }
    for (const ProcessFacts& process : facts.processes)
        for (const LibraryFacts& library : process.libraries)
            if (std::find(versions.hdf5.begin(), versions.hdf5.end(), library) ==
                versions.hdf5.end())
                versions.hdf5.push_back(library);
    return versions;
}

}  // namespace pack_files
}  // namespace quarry
