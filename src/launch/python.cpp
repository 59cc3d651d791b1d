#include "launch/python.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/elf.hpp"
#include "base/text.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

// Wheels keep the libraries that they bring in a folder NAME.libs.
constexpr std::string_view kLibraries = ".libs";

struct VirtualEnvironment {
    fs::path prefix;
    fs::path home;  // the directory of the interpreter that it was made from
    bool sees_system = false;
};

std::optional<VirtualEnvironment> virtual_environment(const fs::path& interpreter) {
    const fs::path bin = interpreter.parent_path();
    for (const fs::path& prefix : {bin.parent_path(), bin}) {
        std::ifstream config(prefix / "pyvenv.cfg");
        if (!config) continue;
        VirtualEnvironment found{prefix, {}, false};
        for (std::string line; std::getline(config, line);) {
            const size_t equals = line.find('=');
            if (equals == line.npos) continue;
            const std::string_view key = trim(std::string_view(line).substr(0, equals));
            const std::string_view value = trim(std::string_view(line).substr(equals + 1));
            if (key == "home") found.home = value;
            if (key == "include-system-site-packages") found.sees_system = value == "true";
        }
        return found;
    }
    return std::nullopt;
}

// "python3.11" of python3 -> python3.11; empty when the name does not tell.
std::string version_directory(const fs::path& interpreter) {
    std::error_code ignored;
    const std::string name = fs::canonical(interpreter, ignored).filename();
    return name.find('.') == name.npos ? "" : name;
}

std::vector<std::string> names_in(const fs::path& directory) {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        names.push_back(entry->path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

void add_packages_of(const fs::path& prefix, const std::string& version,
                     std::vector<std::string>& sites) {
    for (const char* library : {"lib", "lib64", "local/lib"}) {
        for (const std::string& name : names_in(prefix / library)) {
            // Debian keeps the packages of all versions in lib/python3.
            const bool fits = version.empty() ? name.starts_with("python3")
                                              : name == version || name == "python3";
            if (!fits) continue;
            const fs::path python = prefix / library / name;
            sites.push_back(python / "site-packages");
            sites.push_back(python / "dist-packages");
        }
    }
}

// Those that are there, once each: lib64 is often a link to lib.
std::vector<std::string> existing(const std::vector<std::string>& sites) {
    std::vector<std::string> found;
    for (const std::string& site : sites) {
        std::error_code ignored;
        const bool is_known = std::any_of(found.begin(), found.end(), [&](const auto& other) {
            return fs::equivalent(site, other, ignored);
        });
        if (!is_known && fs::is_directory(site, ignored)) found.push_back(site);
    }
    return found;
}

void add_user_packages(const std::string& version, const Environment& environment,
                       std::vector<std::string>& sites) {
    if (environment.get("PYTHONNOUSERSITE").value_or("") != "") return;
    const auto base = environment.get("PYTHONUSERBASE");
    const auto home = environment.get("HOME");
    if (base || home)
        add_packages_of(base ? fs::path(*base) : fs::path(*home) / ".local", version, sites);
}

bool uses_hdf5(const fs::path& module) {
    const auto elf = ElfFile::open(module);
    return elf && std::any_of(elf->needed().begin(), elf->needed().end(), [](const auto& name) {
               return is_hdf5_library(name) || name.starts_with("libnetcdf");
           });
}

// The first extension module in a package that needs HDF5. Debian has two builds of h5py in one
// package and chooses the serial one unless the program runs under MPI.
fs::path hdf5_module(const fs::path& package, int depth = 0) {
    std::vector<fs::path> folders;
    for (const std::string& name : names_in(package)) {
        const fs::path entry = package / name;
        std::error_code ignored;
        if (fs::is_directory(entry, ignored)) {
            if (!name.ends_with("_mpi") && name != "tests") folders.push_back(entry);
        } else if (entry.extension() == ".so" && uses_hdf5(entry)) {
            return entry;
        }
    }
    for (const fs::path& folder : folders)
        if (depth == 0)
            if (fs::path found = hdf5_module(folder, depth + 1); !found.empty()) return found;
    return {};
}

std::optional<Hdf5Library> library_of_package(const std::string& name,
                                              const std::vector<std::string>& sites,
                                              const std::string& loader,
                                              const Environment& environment) {
    for (const std::string& site : sites) {
        const fs::path package = fs::path(site) / name;
        if (!fs::exists(package)) continue;
        const fs::path module = hdf5_module(package);
        if (module.empty()) return std::nullopt;
        auto library = linked_hdf5(module, loader, environment).hdf5;
        if (library) library->owner = name;
        return library;
    }
    return std::nullopt;
}

void add_other_wheels(const std::string& site, std::vector<Hdf5Library>& libraries) {
    for (const std::string& wheel : names_in(site)) {
        if (!wheel.ends_with(kLibraries)) continue;
        const fs::path folder = fs::path(site) / wheel;
        for (const std::string& name : names_in(folder)) {
            if (!is_hdf5_library(name)) continue;
            const fs::path file = folder / name;
            const bool known = std::any_of(libraries.begin(), libraries.end(), [&](const auto& l) {
                std::error_code ignored;
                return fs::equivalent(l.path, file, ignored);
            });
            if (known) continue;
            Hdf5Library library;
            library.owner = folder.stem();
            library.path = file;
            library.version = version_in(file);
            libraries.push_back(library);
        }
    }
}

}  // namespace

std::vector<std::string> site_directories(const std::string& interpreter,
                                          const Environment& environment) {
    std::vector<std::string> sites = split(environment.get("PYTHONPATH").value_or(""), ":");
    const std::string version = version_directory(interpreter);
    const auto isolated = virtual_environment(interpreter);
    if (isolated) add_packages_of(isolated->prefix, version, sites);
    if (!isolated || isolated->sees_system) {
        add_user_packages(version, environment, sites);
        std::error_code ignored;
        const fs::path bin =
            isolated ? isolated->home : fs::canonical(interpreter, ignored).parent_path();
        add_packages_of(bin.parent_path(), version, sites);
    }
    return existing(sites);
}

std::vector<Hdf5Library> python_libraries(const std::string& interpreter,
                                          const Environment& environment) {
    const std::vector<std::string> sites = site_directories(interpreter, environment);
    const auto elf = ElfFile::open(interpreter);
    const std::string loader = elf ? elf->interpreter() : "";
    std::vector<Hdf5Library> libraries;
    for (const char* package : kHdf5Packages)
        if (auto library = library_of_package(package, sites, loader, environment))
            libraries.push_back(*library);
    for (const std::string& site : sites) add_other_wheels(site, libraries);
    return libraries;
}

}  // namespace quarry
