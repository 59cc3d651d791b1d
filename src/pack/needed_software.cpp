#include "pack/needed_software.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <quarry/launch.hpp>
#include <set>

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "pack/commands.hpp"
#include "pack/versions.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDpkg = "/usr/bin/dpkg-query";
constexpr auto kLimit = std::chrono::seconds(60);

std::vector<std::string> lines_of(std::vector<std::string> command) {
    const Outcome outcome = run_program(command, Environment::of_process().entries(), kLimit);
    return split(outcome.output, "\n");
}

// What the system's own Python has below its prefix are files of packages like others.
bool is_in_a_python(const std::string& path, const std::vector<PythonVersions>& pythons) {
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
        if (path.find(folder) != std::string::npos) return true;
    return std::any_of(pythons.begin(), pythons.end(), [&](const PythonVersions& python) {
        const bool is_own = python.is_virtual || !python.is_of_system;
        return is_own && !python.prefix.empty() && path.starts_with(python.prefix + "/");
    });
}

// "\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f...)", as the loader tells it.
void add_loaded_by(const std::string& file, std::set<std::string>& found,
                   std::set<std::string>& missing) {
    for (const std::string& line : lines_of({"/usr/bin/ldd", file})) {
        const size_t arrow = line.find(" => ");
        const size_t first = line.find('/', arrow == std::string::npos ? 0 : arrow);
        if (line.ends_with("=> not found"))
            missing.insert(line.substr(1, arrow - 1));
        else if (const size_t end = line.rfind(" (0x");
                 first != std::string::npos && end != std::string::npos && first < end)
            found.insert(line.substr(first, end - first));
    }
}

// Packages know files by the names that they had before /lib and /usr/lib became one directory, or
// by those that they have since.
std::vector<std::string> names_of(const std::string& file) {
    constexpr std::string_view kUsr = "/usr";
    if (file.starts_with("/usr/")) return {file, file.substr(kUsr.size())};
    return {file, std::string(kUsr) + file};
}

// "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6": by file, as Debian's dpkg tells it.
std::map<std::string, std::string> owners_of(const std::set<std::string>& files) {
    std::vector<std::string> command{kDpkg, "--search"};
    for (const std::string& file : files)
        for (const std::string& name : names_of(file)) command.push_back(name);
    std::map<std::string, std::string> owners;
    if (files.empty()) return owners;
    for (const std::string& line : lines_of(std::move(command))) {
        const size_t end = line.find(": /");
        if (end == std::string::npos || line.starts_with("diversion ")) continue;
        const std::string all = line.substr(0, end);
        owners.emplace(line.substr(end + 2), all.substr(0, all.find_first_of(":,")));
    }
    return owners;
}

std::vector<SystemPackage> with_versions(const std::set<std::string>& names) {
    std::vector<SystemPackage> packages;
    if (names.empty()) return packages;
    std::vector<std::string> command{kDpkg, "--show", "--showformat=${Package} ${Version}\\n"};
    command.insert(command.end(), names.begin(), names.end());
    std::map<std::string, std::string> versions;
    for (const std::string& line : lines_of(std::move(command)))
        if (const size_t space = line.find(' '); space != std::string::npos)
            versions[line.substr(0, space)] = line.substr(space + 1);
    for (const std::string& name : names) packages.push_back({name, versions[name]});
    return packages;
}

}  // namespace

NeededSoftware software_needed_by(const std::vector<PackedCommand>& commands,
                                  const std::vector<LibraryFacts>& libraries,
                                  const std::vector<PythonVersions>& pythons) {
    std::set<std::string> asked, files, missing;
    for (const PackedCommand& command : commands)
        if (interpreter_of(command).empty()) asked.insert(program_of(command));
    for (const LibraryFacts& library : libraries) asked.insert(library.path);
    std::erase_if(asked, [&](const std::string& path) {
        return !path.starts_with('/') || is_in_a_python(path, pythons);
    });
    files = asked;
    for (const std::string& file : asked) add_loaded_by(file, files, missing);
    for (const PythonVersions& python : pythons)
        files.insert(python.system_files.begin(), python.system_files.end());
    std::map<std::string, std::string> owners = owners_of(files);
    std::set<std::string> packages;
    NeededSoftware needed;
    for (const std::string& file : files) {
        const auto names = names_of(file);
        const auto owned = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
            return owners.contains(name);
        });
        if (owned != names.end())
            packages.insert(owners[*owned]);
        else
            (is_of_system(file) ? needed.unknown : needed.files)
                .push_back(fs::path(file).lexically_normal());
    }
    needed.packages = with_versions(packages);
    needed.missing.assign(missing.begin(), missing.end());
    return needed;
}

}  // namespace quarry::pack_files
