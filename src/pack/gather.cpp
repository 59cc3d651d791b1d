#include "pack/gather.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <quarry/units.hpp>
#include <ranges>
#include <set>

#include "base/file_times.hpp"
#include "base/installed.hpp"
#include "pack/commands.hpp"
#include "pack/manifest.hpp"
#include "pack/versions.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

// Clocks of file systems may differ from ours, and what is buffered is written late.
constexpr uint64_t kSlack = 2'000'000'000;

PackedOutput packed(const OutputFile& output, uint64_t copied_below) {
    PackedOutput result{
        fs::path(output.path).lexically_normal(), output.is_hdf5, output.tasks, 0, "", "", ""};
    struct stat status{};
    if (stat(output.path.c_str(), &status) != 0)
        result.problem = "it is gone";
    else if (!S_ISREG(status.st_mode))
        result.problem = "it is no ordinary file";
    else if (!output.was_made)
        result.problem = "it was there before the run";
    else if (modified(status) > output.written + kSlack)
        result.problem = "it was changed after the run";
    if (!result.problem.empty()) return result;
    result.size = static_cast<uint64_t>(status.st_size);
    if (output.is_hdf5 && result.size < copied_below) result.copy = kOutputs + result.path;
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
        if (is_there && ((status.stx_mask & STATX_BTIME) == 0 || born <= start)) break;
    }
    return folder;
}

// A file may have several names.
class FileIdentities {
public:
    void add(const std::string& path) {
        if (const auto one = identity_of(path)) all_.insert(*one);
    }
    bool has(const std::string& path) const {
        const auto one = identity_of(path);
        return one && all_.contains(*one);
    }

private:
    using Identity = std::pair<dev_t, ino_t>;

    static std::optional<Identity> identity_of(const std::string& path) {
        struct stat status{};
        if (stat(path.c_str(), &status) != 0) return std::nullopt;
        return Identity{status.st_dev, status.st_ino};
    }

    std::set<Identity> all_;
};

class Gathering {
public:
    Gathering(const PackOptions& options, const std::vector<InputFile>& inputs)
        : options_(options) {
        for (const InputFile& input : inputs) data_.add(input.path);
    }

    Result<Pack> run() {
        const auto summary = summarize_trace(options_.trace);
        if (!summary) return summary.error();
        const TraceFacts& facts = summary->facts;
        const auto outputs = outputs_of_trace(options_.trace, options_.tasks);
        if (!outputs) return outputs.error();
        pack_.versions = versions_here(facts);
        pack_.commands = commands_of(facts, options_.tasks);
        for (const FileFacts& file : facts.files)
            if (!file.driver.empty()) data_.add(file.path);
        for (const OutputFile& output : *outputs) {
            if (!output.path.starts_with('/')) continue;  // in memory only
            data_.add(output.path);
            pack_.outputs.push_back(packed(output, options_.outputs_below));
        }
        add_folders();
        add_programs();
        add_files_read(*summary);
        for (const std::string& path : programs_)
            if (!left_out_.contains(path))
                pack_.programs.push_back({path, std::string(kPrograms) + path});
        for (const auto& [path, why] : left_out_) pack_.left_out.push_back({path, why});
        return std::move(pack_);
    }

private:
    void add_folders() {
        if (pack_.commands.empty()) return;
        std::set<std::string> folders;
        for (const PackedCommand& command : pack_.commands) folders.insert(command.directory);
        for (const PackedOutput& output : pack_.outputs)
            if (output.problem.empty())
                folders.insert(folder_before(output.path, pack_.commands.front().started));
        folders.erase("");
        pack_.folders.assign(folders.begin(), folders.end());
    }

    void add_programs() {
        // By interpreter, and when the first of the commands that name them ended.
        std::map<std::string, std::map<std::string, uint64_t>> scripts;
        for (const PackedCommand& command : pack_.commands) {
            std::vector<std::string> files = files_named(command);
            std::erase_if(files, [&](const std::string& file) { return data_.has(file); });
            for (const std::string& file : files) add(file, why_not_packed(file, command.ended));
            const std::string interpreter = interpreter_of(command);
            if (interpreter.empty()) continue;
            auto& its_scripts = scripts[interpreter];
            if (files.empty()) continue;
            uint64_t& end = its_scripts.try_emplace(files.front(), command.ended).first->second;
            end = std::min(end, command.ended);
        }
        for (const auto& [interpreter, ends] : scripts) {
            const auto names = std::views::keys(ends);
            const AskedPython asked = ask_python(interpreter, {names.begin(), names.end()});
            pack_.versions.pythons.push_back(asked.versions);
            for (const auto& [script, end] : ends)
                for (const std::string& module : asked.modules_of(script))
                    add(module, why_not_packed(module, end));
        }
    }

    // Without HDF5.
    void add_files_read(const TraceSummary& summary) {
        for (const UsageRow& row : summary.rows) {
            if (row.file == kNobody || row.task == kNobody) continue;
            const FileFacts& file = summary.facts.files[row.file];
            const TaskFacts& task = summary.facts.tasks[row.task];
            const bool is_read = row.usage.other_read > 0 || row.usage.other_written == 0;
            const std::string path = fs::path(file.path).lexically_normal();
            if (is_read && file.driver.empty() && is_wanted(task) && !data_.has(path) &&
                !was_written(path) && !is_installed(path))
                add(path, why_not_given_away(path, task.end));
        }
    }

    bool is_wanted(const TaskFacts& task) const {
        const auto& wanted = options_.tasks;
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), task.name) != wanted.end();
    }

    // Though it may be gone.
    bool was_written(const std::string& path) const {
        return std::any_of(pack_.outputs.begin(), pack_.outputs.end(),
                           [&](const PackedOutput& output) { return output.path == path; });
    }

    bool is_installed(const std::string& path) const {
        const auto& pythons = pack_.versions.pythons;
        return std::any_of(pythons.begin(), pythons.end(), [&](const PythonVersions& python) {
            return !python.prefix.empty() && is_installed_below(python.prefix, path);
        });
    }

    std::string why_not_packed(const std::string& path, uint64_t end) const {
        struct stat status{};
        if (stat(path.c_str(), &status) != 0) return "it is gone";
        if (!S_ISREG(status.st_mode)) return "it is no ordinary file";
        if (modified(status) > end + kSlack) return "it was changed after the run";
        if (static_cast<uint64_t>(status.st_size) > options_.programs_below)
            return "it has more than " + bytes_text(options_.programs_below);
        return "";
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

    const PackOptions& options_;
    Pack pack_;
    FileIdentities data_;                          // of inputs and outputs
    std::set<std::string> programs_;               // paths
    std::map<std::string, std::string> left_out_;  // why, by path; for one command is for all
};

}  // namespace

Result<Pack> gather(const PackOptions& options, const std::vector<InputFile>& inputs) {
    return Gathering(options, inputs).run();
}

}  // namespace quarry::pack_files
