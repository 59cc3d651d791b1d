#include "pack/container.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "pack/commands.hpp"
#include "pack/manifest.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct System {
    std::string_view id;  // as os-release has it
    std::string_view image;
    std::string_view install;  // what makes python3 be there
};

constexpr std::string_view kApt =
    "apt-get update && apt-get install -y --no-install-recommends python3 python3-pip python3-venv";
constexpr std::string_view kDnf = "dnf install -y python3 python3-pip";
constexpr System kSystems[] = {
    {"debian", "docker.io/library/debian", kApt},
    {"ubuntu", "docker.io/library/ubuntu", kApt},
    {"fedora", "docker.io/library/fedora", kDnf},
    {"almalinux", "docker.io/library/almalinux", kDnf},
    {"rocky", "docker.io/rockylinux/rockylinux", kDnf},
    {"centos", "quay.io/centos/centos", kDnf},
    {"rhel", "registry.access.redhat.com/ubi9/ubi", kDnf},
};

std::string base_lines(const Versions& versions) {
    const auto& pythons = versions.pythons;
    const auto other = std::find_if(pythons.begin(), pythons.end(), [](const auto& python) {
        return python.problem.empty() && !python.is_of_system;
    });
    // A Python that somebody brought along may be one that the system does not offer.
    if (other != pythons.end()) {
        const bool needs_its_packages = versions.system == "debian" && !versions.packages.empty() &&
                                        !versions.system_codename.empty();
        return fmt::format("FROM docker.io/library/python:{}-slim{}\n", other->version,
                           needs_its_packages ? "-" + versions.system_codename : "");
    }
    const auto system = std::find_if(std::begin(kSystems), std::end(kSystems),
                                     [&](const System& one) { return one.id == versions.system; });
    if (system == std::end(kSystems))
        return fmt::format("FROM {}:{}\n{}", versions.system, versions.system_version,
                           pythons.empty() ? "" : "# Install Python here.\n");
    return fmt::format("FROM {}:{}\n{}", system->image, versions.system_version,
                       pythons.empty() ? "" : fmt::format("RUN {}\n", system->install));
}

// Of Debian and its like, which Pythons of that name are built on as well.
bool has_apt(const Versions& versions) {
    return versions.system == "debian" || versions.system == "ubuntu";
}

// For a comment: whatever is in it does not begin a line of its own.
std::string on_one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
    return text;
}

std::string quoted_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
    return text;
}

std::string list_name(size_t number) {
    return fmt::format("requirements-{}.txt", number + 1);
}

std::string list_of(const PythonVersions& python) {
    std::string text;
    for (const Distribution& one : python.distributions)
        text +=
            fmt::format(fmt::runtime(one.is_indexed ? "{}=={}\n" : "# from elsewhere: {}=={}\n"),
                        on_one_line(one.name), on_one_line(one.version));
    return text;
}

std::string package_lines(const Versions& versions) {
    if (versions.packages.empty()) return "";
    std::string versions_then, names;
    for (const SystemPackage& one : versions.packages) {
        versions_then +=
            fmt::format("#   {} {}\n", on_one_line(one.name), on_one_line(one.version));
        names += " " + shell_quoted(one.name);
    }
    const std::string install =
        has_apt(versions)
            ? fmt::format("RUN apt-get update && apt-get install -y --no-install-recommends{}\n",
                          names)
            : "# Install them here.\n";
    return "\n# Packages of the system that programs need. They were:\n" + versions_then + install;
}

std::string copy_line(const std::string& from, const std::string& to) {
    return fmt::format("COPY {}\n",
                       Json{from, to}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string install_lines(const PythonVersions& python, size_t number) {
    const std::string list = "/tmp/" + list_name(number);
    std::string text = fmt::format("\n# It was {}, Python {}.\n", on_one_line(python.interpreter),
                                   on_one_line(python.version));
    text += copy_line(list_name(number), list);
    if (!python.is_virtual)
        return text + fmt::format(
                          "RUN PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install -r {0}\n"
                          "RUN test -e {1} || {{ mkdir -p {2} && ln -s \"$(command -v python3)\" "
                          "{1}; }}\n",
                          list, shell_quoted(python.interpreter),
                          shell_quoted(fs::path(python.interpreter).parent_path().string()));
    const std::string prefix = shell_quoted(python.prefix);
    return text +
           fmt::format("RUN python3 -m venv {2}{0} && {0}/bin/python -m pip install -r {1}\n",
                       prefix, list, python.system_files.empty() ? "" : "--system-site-packages ");
}

// Directories at the top of what was carved: what is in each goes below the same name.
std::set<std::string> tops_of(const std::vector<FileFate>& inputs) {
    std::set<std::string> tops;
    for (const FileFate& file : inputs)
        if (!file.copy.empty()) tops.insert(*fs::path(file.copy).begin());
    return tops;
}

// Files are copied under their first names.
std::string lines_for_other_names(const FileFate& file) {
    std::string text;
    for (const std::string& name : file.input.also_by)
        text += fmt::format("RUN test -e {0} || {{ mkdir -p {1} && ln -s {2} {0}; }}\n",
                            shell_quoted(name), shell_quoted(fs::path(name).parent_path().string()),
                            shell_quoted("/" + file.copy));
    return text;
}

std::string containerfile_of(const Pack& pack, const std::vector<FileFate>& inputs) {
    const Versions& versions = pack.versions;
    std::string text = fmt::format(
        "# Repeats a run that Quarry recorded on {}, Linux {}, {}.\n"
        "# Build it where this archive was unpacked: podman build -t app .\n",
        on_one_line(versions.system_name), on_one_line(versions.kernel),
        on_one_line(versions.machine));
    text += base_lines(versions);
    text += package_lines(versions);
    for (size_t i = 0; i < versions.pythons.size(); ++i)
        if (versions.pythons[i].problem.empty()) text += install_lines(versions.pythons[i], i);
    text += "\n# Data and programs, each under its path.\n";
    for (const std::string& top : tops_of(inputs))
        text += copy_line(fmt::format("{}/{}", kCarved, top), "/" + top);
    for (const FileFate& file : inputs)
        if (!file.copy.empty()) text += lines_for_other_names(file);
    if (!pack.programs.empty()) text += copy_line(kPrograms, "/");
    text += copy_line("run.sh", "/run.sh");
    return text + "ENTRYPOINT [\"/bin/sh\", \"/run.sh\"]\n";
}

std::string script_line(const PackedCommand& command, const Pack& pack) {
    std::string text = "\n";
    if (lacks_secret(command))
        text += "# Put the secret, which was not recorded, in place of ***.\n";
    if (command.rank >= 0)
        text += fmt::format("# Was started by MPI, as number {}.\n", command.rank);
    std::string path;
    for (const std::string& folder : program_folders(command, pack))
        path += shell_quoted(folder) + ":";
    return text + fmt::format("cd {} &&\n{}{} || status=$?\n", shell_quoted(command.directory),
                              path.empty() ? "" : "PATH=" + path + "\"$PATH\" ",
                              quoted_words(command.command));
}

std::string script_of(const Pack& pack) {
    std::string text =
        "#!/bin/sh\n"
        "# The commands of the run, in the order in which they were started. One that fails does\n"
        "# not keep the others from running.\n"
        "set -e\n"
        "status=0\n";
    for (const std::string& folder : pack.folders)
        text += "mkdir -p " + shell_quoted(folder) + "\n";
    if (!pack.python_path.empty())
        text += fmt::format("export PYTHONPATH={}\"${{PYTHONPATH:+:$PYTHONPATH}}\"\n",
                            shell_quoted(fmt::format("{}", fmt::join(pack.python_path, ":"))));
    const std::string why_not = missing_origin(pack);
    if (!why_not.empty()) text += fmt::format("echo {} >&2\nexit 1\n", shell_quoted(why_not));
    for (const PackedCommand& command : pack.commands)
        if (command.is_top_level) text += script_line(command, pack);
    return text + "\nexit $status\n";
}

std::string readme_of(const Pack& pack) {
    std::string commands;
    for (const PackedCommand& command : pack.commands)
        if (command.is_top_level)
            commands += "  " + on_one_line(quoted_words(command.command)) + "\n";
    return fmt::format(
        "A run that Quarry {} recorded, with all that it takes to repeat it:\n\n{}\n"
        "carved/        its input files, with only the data that was used\n"
        "programs/      scripts and other files that the commands name or have read\n"
        "outputs/       HDF5 files that it made, to compare with\n"
        "pack.json      commands, versions, and checksums of all files\n"
        "Containerfile  builds a container that repeats the run; run.sh is what it does\n"
        "ro-crate-metadata.json  the same for catalogues: https://w3id.org/ro/crate\n\n"
        "`quarry unpack --run` on the archive repeats the run and compares what it makes.\n"
        "Data that the run did not use is left out of carved/: its datasets are there and cannot "
        "be read.\n",
        pack.versions.quarry, commands);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> recipe_of(const Pack& pack,
                                                           const std::vector<FileFate>& inputs) {
    std::vector<std::pair<std::string, std::string>> texts{
        {"Containerfile", containerfile_of(pack, inputs)},
        {"README.txt", readme_of(pack)},
        {"run.sh", script_of(pack)}};
    const auto& pythons = pack.versions.pythons;
    for (size_t i = 0; i < pythons.size(); ++i)
        if (pythons[i].problem.empty()) texts.emplace_back(list_name(i), list_of(pythons[i]));
    return texts;
}

}  // namespace quarry::pack_files
