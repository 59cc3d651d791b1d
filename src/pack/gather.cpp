#include "pack/gather.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <quarry/units.hpp>
#include <ranges>
#include <set>
#include <tuple>

#include "base/file_times.hpp"
#include "base/installed.hpp"
#include "pack/changed_since.hpp"
#include "pack/commands.hpp"
#include "pack/manifest.hpp"
#include "pack/needed_software.hpp"
#include "pack/versions.hpp"
#include "pack/whereabouts.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

// No library is larger without being data as well.
constexpr uint64_t kLibrariesBelow = 256 << 20;

// Clocks of file systems tick, at most a thousand times a second: what was made in one tick with
// the start of a program was made by it, for Quarry takes longer to start one.
constexpr uint64_t kHalfTick = 500'000;

constexpr const char* kThereBefore = "it was there before the run";

std::string normal(const std::string& path) {
    return fs::path(path).lexically_normal();
}

// Empty if it may be.
std::string why_not_read(const std::string& path) {
    if (access(path.c_str(), R_OK) == 0) return "";
    return std::string("it cannot be read: ") + std::strerror(errno);
}

// `end` is that of what has made it.
PackedOutput packed(const OutputFile& output, const std::string& place, uint64_t end,
                    uint64_t copied_below) {
    PackedOutput result{normal(place), output.is_hdf5, output.tasks, 0, "", "", "", ""};
    if (place != output.path) result.former = normal(output.path);
    struct stat status{};
    if (stat(place.c_str(), &status) != 0)
        result.problem = "it is gone";
    else if (!S_ISREG(status.st_mode))
        result.problem = "it is no ordinary file";
    else if (!output.was_made)
        result.problem = kThereBefore;
    else if (was_changed_after(end, place, status))
        result.problem = "it was changed after the run";
    else
        result.problem = why_not_read(place);
    if (!result.problem.empty()) return result;
    result.size = static_cast<uint64_t>(status.st_size);
    if (output.is_hdf5 && result.size < copied_below) result.copy = kOutputs + result.path;
    return result;
}

// The name that a file had first: what is there before a run is repeated is written over.
PackedOutput under_former_name(const PackedOutput& output) {
    PackedOutput result = output;
    result.path = output.former;
    result.problem = "it has another name by now: " + output.path;
    result.size = 0;
    result.copy = result.former = "";
    return result;
}

// The directory on the way to a file that was there when the run began; where a file system does
// not tell, the last one.
std::string folder_before(const std::string& path, uint64_t start) {
    fs::path folder = fs::path(path).parent_path();
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
        struct statx status{};
        const bool is_there = statx(AT_FDCWD, folder.c_str(), 0, STATX_BTIME, &status) == 0;
        const uint64_t born = nanoseconds(status.stx_btime);
        if (is_there && ((status.stx_mask & STATX_BTIME) == 0 || born + kHalfTick < start)) break;
    }
    return folder;
}

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_at(const std::string& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

// A file may have several names.
class FileIdentities {
public:
    void add(const std::string& path) {
        if (const auto one = identity_at(path)) all_.insert(*one);
    }
    bool has(const std::string& path) const {
        const auto one = identity_at(path);
        return one && all_.contains(*one);
    }

private:
    std::set<FileIdentity> all_;
};

class Gathering {
public:
    Gathering(const PackOptions& options, const std::vector<InputFile>& inputs)
        : options_(options), inputs_(inputs) {
        for (const InputFile& input : inputs) data_.add(input.path);
    }

    Result<Gathered> run() {
        const auto summary = summarize_trace(options_.trace);
        if (!summary) return summary.error();
        const TraceFacts& facts = summary->facts;
        const auto outputs = outputs_of_trace(options_.trace, options_.tasks);
        if (!outputs) return outputs.error();
        pack_.versions = versions_here(facts);
        pack_.commands = commands_of(facts, options_.tasks);
        for (const FileFacts& file : facts.files)
            if (!file.driver.empty()) data_.add(file.path);
        add_outputs(facts, *outputs);
        std::vector<InputFile> found = inputs_found();
        pack_.opens_for_writing =
            std::any_of(found.begin(), found.end(),
                        [](const InputFile& input) { return input.was_opened_for_writing; });
        add_folders();
        add_programs();
        add_needed_software();
        add_files_read(*summary);
        const auto opened = opened_for_writing_only(options_.trace, options_.tasks);
        if (!opened) return opened.error();
        if (std::any_of(opened->begin(), opened->end(),
                        [&](const std::string& path) { return programs_.contains(normal(path)); }))
            pack_.opens_for_writing = true;
        for (const std::string& path : programs_)
            if (!left_out_.contains(path))
                pack_.programs.push_back({path, std::string(kPrograms) + path});
        for (const auto& [path, why] : left_out_) pack_.left_out.push_back({path, why});
        for (const auto& [path, why] : not_followed_)
            if (!left_out_.contains(path) && !is_installed(path))
                pack_.left_out.push_back({path, why, true});
        for (auto& [path, output] : outputs_) pack_.outputs.push_back(std::move(output));
        add_cautions(*summary);
        return Gathered{std::move(pack_), std::move(found), std::move(cautions_)};
    }

private:
    void add_outputs(const TraceFacts& facts, const std::vector<OutputFile>& outputs) {
        Whereabouts whereabouts;
        for (const FileFacts& file : facts.files) whereabouts.add(file.path);
        for (const OutputFile& output : outputs)
            for (const std::string& path : output.also_by) whereabouts.add(path);
        std::vector<PackedOutput> gone;
        for (const OutputFile& output : outputs) {
            if (!output.path.starts_with('/')) continue;  // in memory only
            const std::string found = whereabouts.of(output);
            const std::string& place = found.empty() ? output.path : found;
            data_.add(place);
            note_making(output, found);
            PackedOutput one = packed(output, place, end_of(output), options_.outputs_below);
            if (!one.former.empty()) gone.push_back(under_former_name(one));
            if (found.empty())
                gone.push_back(std::move(one));
            else
                outputs_.try_emplace(one.path, one);
        }
        // Several files may have had a name, one after the other: the one that is there counts.
        for (PackedOutput& one : gone) outputs_.try_emplace(one.path, one);
    }

    // What a program has buffered, or is not recorded in detail, it may write until it ends.
    uint64_t end_of(const OutputFile& output) const {
        uint64_t end = output.written;
        for (const PackedCommand& command : pack_.commands)
            if (std::find_first_of(command.tasks.begin(), command.tasks.end(), output.tasks.begin(),
                                   output.tasks.end()) != command.tasks.end())
                end = std::max(end, command.ended);
        return end;
    }

    void note_making(const OutputFile& output, const std::string& place) {
        if (!output.was_made) return;
        made_.insert(identity_of(output));
        if (const auto one = identity_at(place)) own_[*one] = output.made;
    }

    // What the run has made, and read only then, it makes again. Of nothing there is no archive.
    std::vector<InputFile> inputs_found() const {
        std::vector<InputFile> found;
        for (const InputFile& input : inputs_) {
            const auto one = identity_at(input.place());
            const auto own = one ? own_.find(*one) : own_.end();
            if (own == own_.end() || input.opened < own->second) found.push_back(input);
        }
        return found.empty() ? inputs_ : found;
    }

    void add_folders() {
        if (pack_.commands.empty()) return;
        std::set<std::string> folders;
        for (const PackedCommand& command : pack_.commands) folders.insert(command.directory);
        for (const auto& [path, output] : outputs_) {
            if (!output.problem.empty()) continue;
            for (const std::string& name : {path, output.former})
                folders.insert(folder_before(name, pack_.commands.front().started));
        }
        folders.erase("");
        for (const std::string& folder : std::set(folders))
            if (const std::string real = past_links(folder); !real.empty()) folders.insert(real);
        pack_.folders.assign(folders.begin(), folders.end());
    }

    // Its own path, if there are links on the way, which are noted.
    std::string past_links(const std::string& folder) {
        std::error_code failed;
        bool has_links = false;
        fs::path at;
        for (const fs::path& name : fs::path(folder)) {
            at /= name;
            if (!fs::is_symlink(at, failed)) continue;
            const fs::path target = fs::canonical(at, failed);
            if (failed) return "";
            has_links = true;
            const auto is_this = [&](const PackedLink& one) { return one.path == at; };
            if (std::none_of(pack_.links.begin(), pack_.links.end(), is_this))
                pack_.links.push_back({at, target});
        }
        return has_links ? fs::canonical(folder, failed).string() : "";
    }

    void add_programs() {
        // By interpreter, and when the first of the commands that run them ended.
        std::map<std::string, std::map<PythonProgram, uint64_t>> of_pythons;
        for (const PackedCommand& command : pack_.commands) {
            std::vector<std::string> files = files_named(command);
            std::erase_if(files, [&](const std::string& file) { return data_.has(file); });
            for (const std::string& file : files) add(file, why_not_packed(file, command.ended));
            const std::string interpreter = interpreter_of(command);
            if (interpreter.empty()) continue;
            auto& ends = of_pythons[interpreter];
            for (const PythonProgram& program : programs_of(command, files)) {
                uint64_t& end = ends.try_emplace(program, command.ended).first->second;
                end = std::min(end, command.ended);
            }
        }
        for (const auto& [interpreter, ends] : of_pythons) {
            const auto programs = std::views::keys(ends);
            const AskedPython asked = ask_python(interpreter, {programs.begin(), programs.end()});
            pack_.versions.pythons.push_back(asked.versions);
            auto end = ends.begin();
            for (const Imports& imports : asked.programs) add_imports(imports, (end++)->second);
        }
    }

    // A container has the packages, and the files that belong to none from the archive.
    void add_needed_software() {
        Versions& versions = pack_.versions;
        const NeededSoftware needed =
            software_needed_by(pack_.commands, versions.hdf5, versions.pythons);
        versions.packages = needed.packages;
        uint64_t end = 0;
        for (const PackedCommand& command : pack_.commands) end = std::max(end, command.ended);
        for (const std::string& file : needed.files)
            if (!data_.has(file)) add(file, why_not_packed(file, end, kLibrariesBelow));
        if (!needed.unknown.empty())
            cautions_.push_back(fmt::format(
                "A container has not all that programs of the run need of the system: which "
                "packages hold {} is not known here.",
                fmt::join(needed.unknown, ", ")));
        for (const std::string& name : needed.missing)
            cautions_.push_back(name +
                                ", a library that a program of the run asks for, is not found "
                                "now: it is not in the archive.");
    }

    // What an installed module runs, as `-m cProfile`, is a script as well.
    static std::vector<PythonProgram> programs_of(const PackedCommand& command,
                                                  const std::vector<std::string>& files) {
        using Kind = PythonProgram::Kind;
        const PythonProgram named = python_program_of(command);
        std::vector<PythonProgram> programs;
        const auto script = std::find_if(files.begin(), files.end(), [&](const auto& file) {
            return named.kind == Kind::Script ? file == named.what : file.ends_with(".py");
        });
        if (named.kind != Kind::Script && !named.what.empty()) programs.push_back(named);
        if (script != files.end()) programs.push_back({Kind::Script, *script, command.directory});
        return programs;
    }

    void add_imports(const Imports& imports, uint64_t end) {
        for (const std::string& module : imports.modules)
            if (!data_.has(module)) add(module, why_not_packed(module, end));
        auto& places = pack_.python_path;
        for (const std::string& place : imports.python_path)
            if (std::find(places.begin(), places.end(), place) == places.end())
                places.push_back(place);
        not_followed_.insert(imports.not_followed.begin(), imports.not_followed.end());
    }

    // Without HDF5.
    void add_files_read(const TraceSummary& summary) {
        for (const UsageRow& row : summary.rows) {
            if (row.file == kNobody || row.task == kNobody) continue;
            const FileFacts& file = summary.facts.files[row.file];
            const TaskFacts& task = summary.facts.tasks[row.task];
            const bool is_read = row.usage.other_read > 0 || row.usage.other_written == 0;
            if (!is_read || !file.driver.empty() || !is_wanted(task)) continue;
            const std::string path = normal(file.path);
            const auto output = outputs_.find(path);
            if (output != outputs_.end() && row.usage.other_read > 0)
                note_as_read(file, output->second);
            else if (output == outputs_.end() && !data_.has(path) && !is_installed(path))
                add(path, why_not_given_away(path, task.end));
        }
    }

    void add_cautions(const TraceSummary& summary) {
        if (const std::string why_not = missing_origin(pack_); !why_not.empty())
            cautions_.push_back(why_not);
        for (const std::string& folder : pack_.python_path)
            cautions_.push_back("Some modules are neither installed nor beside what runs, but in " +
                                folder +
                                ": `unpack --run` and run.sh set PYTHONPATH to find them there.");
        const std::set<std::string> others = other_tasks(summary);
        for (const PackedCommand& command : pack_.commands) {
            std::vector<std::string> more;
            for (const std::string& task : command.tasks)
                if (others.contains(task)) more.push_back(task);
            if (!more.empty())
                cautions_.push_back(fmt::format(
                    "{} worked for other tasks, too: {}. It is repeated as a whole, and data that "
                    "only these have used is not packed. Name them with --task as well.",
                    text_of(command), fmt::join(more, ", ")));
        }
    }

    // That have used something, and are not packed.
    std::set<std::string> other_tasks(const TraceSummary& summary) const {
        std::set<std::string> others;
        for (const UsageRow& row : summary.rows)
            if (row.task != kNobody && !is_wanted(summary.facts.tasks[row.task]))
                others.insert(summary.facts.tasks[row.task].name);
        return others;
    }

    // What was read there before the run has made something else of it, is nowhere any more.
    void note_as_read(const FileFacts& file, PackedOutput& output) {
        if (made_.contains(identity_of(file))) return;
        left_out_.try_emplace(output.path, "the run has read it and written over it");
        output.problem = kThereBefore;
        output.size = 0;
        output.copy = "";
    }

    bool is_wanted(const TaskFacts& task) const {
        const auto& wanted = options_.tasks;
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), task.name) != wanted.end();
    }

    bool is_installed(const std::string& path) const {
        const auto& pythons = pack_.versions.pythons;
        return std::any_of(pythons.begin(), pythons.end(), [&](const PythonVersions& python) {
            return !python.prefix.empty() && is_installed_below(python.prefix, path);
        });
    }

    std::string why_not_packed(const std::string& path, uint64_t end) const {
        return why_not_packed(path, end, options_.programs_below);
    }

    static std::string why_not_packed(const std::string& path, uint64_t end, uint64_t below) {
        struct stat status{};
        if (stat(path.c_str(), &status) != 0) return "it is gone";
        if (!S_ISREG(status.st_mode)) return "it is no ordinary file";
        if (was_changed_after(end, path, status)) return "it was changed after the run";
        if (static_cast<uint64_t>(status.st_size) > below)
            return "it has more than " + bytes_text(below);
        return why_not_read(path);
    }

    // What no command names, nobody may think of when the archive is given to others.
    std::string why_not_given_away(const std::string& path, uint64_t end) const {
        const std::string why_not = why_not_packed(path, end);
        const bool is_hidden = path.find("/.") != std::string::npos && !programs_.contains(path);
        return why_not.empty() && is_hidden ? "it is hidden, and may be private" : why_not;
    }

    void add(const std::string& path, const std::string& why_not) {
        if (why_not.empty())
            programs_.insert(path);
        else
            left_out_.try_emplace(path, why_not);
    }

    // As the trace tells it.
    using TracedIdentity = std::tuple<uint64_t, uint64_t, uint64_t>;
    template <typename File>
    static TracedIdentity identity_of(const File& file) {
        return {file.device, file.inode, file.born};
    }

    const PackOptions& options_;
    const std::vector<InputFile>& inputs_;
    Pack pack_;
    std::vector<std::string> cautions_;
    FileIdentities data_;                          // of inputs and outputs
    std::map<std::string, PackedOutput> outputs_;  // by path
    std::set<TracedIdentity> made_;                // by the run
    // Those of them that are there still, and when they were made first.
    std::map<FileIdentity, uint64_t> own_;
    std::set<std::string> programs_;                   // paths
    std::map<std::string, std::string> left_out_;      // why, by path; for one command is for all
    std::map<std::string, std::string> not_followed_;  // likewise, by who loads it
};

}  // namespace

Result<Gathered> gather(const PackOptions& options, const std::vector<InputFile>& inputs) {
    return Gathering(options, inputs).run();
}

}  // namespace quarry::pack_files
