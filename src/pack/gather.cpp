#include "pack/gather.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "pack/commands.hpp"
#include "pack/manifest.hpp"
#include "pack/versions.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

// In nanoseconds since 1970.
uint64_t modified(const struct stat& status) {
    return static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
           static_cast<uint64_t>(status.st_mtim.tv_nsec);
}

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
        const uint64_t born = static_cast<uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 +
                              status.stx_btime.tv_nsec;
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
    explicit Gathering(const PackOptions& options) : options_(options) {}

    Result<Pack> run() {
        const auto facts = facts_of_trace(options_.trace);
        if (!facts) return facts.error();
        const auto outputs = outputs_of_trace(options_.trace, options_.tasks);
        if (!outputs) return outputs.error();
        pack_.versions = versions_here(*facts);
        pack_.commands = commands_of(*facts, options_.tasks);
        for (const FileFacts& file : facts->files)
            if (!file.driver.empty()) data_.add(file.path);
        for (const OutputFile& output : *outputs) {
            if (!output.path.starts_with('/')) continue;  // in memory only
            data_.add(output.path);
            pack_.outputs.push_back(packed(output, options_.outputs_below));
        }
        add_folders();
        add_programs();
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
        std::map<std::string, std::set<std::string>> scripts;  // by interpreter
        for (const PackedCommand& command : pack_.commands) {
            std::vector<std::string> files = files_named(command);
            std::erase_if(
                files, [&](const std::string& file) { return data_.has(file) || !is_small(file); });
            programs_.insert(files.begin(), files.end());
            const std::string interpreter = interpreter_of(command);
            if (interpreter.empty()) continue;
            auto& its_scripts = scripts[interpreter];
            if (!files.empty()) its_scripts.insert(files.front());
        }
        for (const auto& [interpreter, files] : scripts) {
            const AskedPython asked = ask_python(interpreter, {files.begin(), files.end()});
            pack_.versions.pythons.push_back(asked.versions);
            for (const std::string& module : asked.modules)
                if (is_small(module)) programs_.insert(module);
        }
        for (const std::string& path : programs_)
            pack_.programs.push_back({path, std::string(kPrograms) + path});
    }

    bool is_small(const std::string& path) const {
        std::error_code failed;
        return fs::file_size(path, failed) <= options_.programs_below && !failed;
    }

    const PackOptions& options_;
    Pack pack_;
    FileIdentities data_;             // of inputs and outputs
    std::set<std::string> programs_;  // paths
};

}  // namespace

Result<Pack> gather(const PackOptions& options) {
    return Gathering(options).run();
}

}  // namespace quarry::pack_files
