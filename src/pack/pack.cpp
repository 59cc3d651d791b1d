#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <quarry/pack.hpp>
#include <set>

#include "base/sha256.hpp"
#include "base/subprocess.hpp"
#include "base/whole_path.hpp"
#include "base/workplace.hpp"
#include "pack/archive.hpp"
#include "pack/commands.hpp"
#include "pack/container.hpp"
#include "pack/crate.hpp"
#include "pack/manifest.hpp"
#include "pack/versions.hpp"

namespace quarry {
namespace {

using namespace pack_files;
namespace fs = std::filesystem;

constexpr const char* kCrate = "ro-crate-metadata.json";

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

// What else than the data of inputs is packed.
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
            if (!file.driver.empty()) data_.insert(file.path);
        for (const OutputFile& output : *outputs) {
            if (!output.path.starts_with('/')) continue;  // in memory only
            data_.insert(output.path);
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
            const auto files = files_named(command, data_, options_.programs_below);
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
    std::set<std::string> data_;      // files that are inputs or outputs
    std::set<std::string> programs_;  // paths
};

Error cannot_write(const std::string& path) {
    return {path + " cannot be written: " + std::strerror(errno) + "."};
}

// All that goes into the archive, as files in a directory.
class Stage {
public:
    explicit Stage(std::string directory) : directory_(std::move(directory)) {}

    std::string at(const std::string& path) const { return directory_ + "/" + path; }

    Result<bool> write(const std::string& path, const std::string& text) const {
        std::ofstream out(at(path), std::ios::binary);
        out << text;
        out.close();
        if (!out) return cannot_write(at(path));
        return true;
    }

    Result<bool> copy(const std::string& from, const std::string& path) const {
        std::error_code failed;
        fs::create_directories(fs::path(at(path)).parent_path(), failed);
        if (!failed) fs::copy_file(from, at(path), failed);
        if (failed) return Error{from + " cannot be copied: " + failed.message() + "."};
        return true;
    }

    Result<PackedFile> described(const std::string& path) const {
        struct stat status{};
        if (stat(at(path).c_str(), &status) != 0) return cannot_write(at(path));
        auto sum = sha256_of_file(at(path));
        if (!sum) return sum.error();
        return PackedFile{path, static_cast<uint64_t>(status.st_size), std::move(*sum),
                          (status.st_mode & S_IXUSR) != 0};
    }

    // In the order of their paths.
    Result<std::vector<PackedFile>> files() const {
        std::set<std::string> paths;
        for (const auto& entry : fs::recursive_directory_iterator(directory_))
            if (entry.is_regular_file()) paths.insert(entry.path().lexically_relative(directory_));
        std::vector<PackedFile> files;
        for (const std::string& path : paths) {
            auto file = described(path);
            if (!file) return file.error();
            files.push_back(std::move(*file));
        }
        return files;
    }

private:
    std::string directory_;
};

Result<bool> fill(const Stage& stage, Pack& pack, const std::vector<FileFate>& inputs) {
    for (const PackedProgram& program : pack.programs)
        if (auto done = stage.copy(program.original, program.copy); !done) return done;
    for (PackedOutput& output : pack.outputs) {
        if (!output.problem.empty()) continue;
        if (!output.copy.empty())
            if (auto done = stage.copy(output.path, output.copy); !done) return done;
        auto sum = sha256_of_file(output.copy.empty() ? output.path : stage.at(output.copy));
        if (!sum) return sum.error();
        output.sha256 = std::move(*sum);
    }
    for (const auto& [name, text] : recipe_of(pack, inputs))
        if (auto done = stage.write(name, text); !done) return done;
    return true;
}

// Whether others will read what was meant: JSON cannot hold every name that a file may have.
Result<bool> check(const std::string& manifest, const Pack& pack) {
    const auto read = read_manifest(manifest);
    if (!read) return read.error();
    for (size_t i = 0; i < pack.files.size(); ++i)
        if (read->files[i].path != pack.files[i].path)
            return Error{pack.files[i].path +
                         " cannot be packed: its name is not in UTF-8. Rename the file."};
    return true;
}

Result<bool> describe(const Stage& stage, const PackOptions& options, Pack& pack,
                      const std::vector<FileFate>& inputs) {
    auto files = stage.files();
    if (!files) return files.error();
    pack.files = std::move(*files);
    const auto crate = crate_of(options, pack, inputs);
    if (!crate) return crate.error();
    if (auto done = stage.write(kCrate, *crate); !done) return done;
    auto file = stage.described(kCrate);
    if (!file) return file.error();
    pack.files.push_back(std::move(*file));
    const std::string manifest = manifest_of(pack);
    if (auto done = check(manifest, pack); !done) return done;
    if (auto done = stage.write(kManifest, manifest); !done) return done;
    return stage.write(kManifestSum, sum_line_of(manifest));
}

// What tells all others comes first, so that whoever unpacks knows what to expect.
Result<bool> write_archive(const Stage& stage, const Pack& pack, const std::string& path,
                           const Progress& progress) {
    uint64_t time = 0, all = 0, done = 0;
    for (const PackedCommand& command : pack.commands) time = std::max(time, command.started);
    auto writer = ArchiveWriter::create(path, time);
    if (!writer) return writer.error();
    std::vector<PackedFile> files;
    for (const char* name : {kManifest, kManifestSum}) {
        auto file = stage.described(name);
        if (!file) return file.error();
        files.push_back(std::move(*file));
    }
    files.insert(files.end(), pack.files.begin(), pack.files.end());
    for (const PackedFile& file : files) all += file.size;
    const InterruptGuard guard;
    for (const PackedFile& file : files) {
        auto added = writer->add(file, stage.at(file.path), [&](uint64_t bytes) {
            done += bytes;
            if (progress) progress(done, all);
        });
        if (!added) return added;
        if (InterruptGuard::signal() != 0) return Error{"Interrupted: nothing has been changed."};
    }
    return writer->finish();
}

// Something else is not replaced.
std::string why_not_replaced(const std::string& path) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path, error))) return "";
    if (auto reader = ArchiveReader::open(path)) {
        const auto first = reader->next();
        if (first && *first && (*first)->path == kManifest) return "";
    }
    return path + " is there and was not made by `quarry pack`: it is left alone.";
}

Result<uint64_t> put(const std::string& made, const std::string& place) {
    std::error_code failed;
    const uint64_t size = fs::file_size(made, failed);
    if (failed || !is_synced(made) || rename(made.c_str(), place.c_str()) != 0)
        return cannot_write(place);
    is_synced(fs::path(place).parent_path());
    return size;
}

bool are_all_carved(const std::vector<FileFate>& inputs) {
    return std::all_of(inputs.begin(), inputs.end(),
                       [](const FileFate& file) { return file.problem.empty(); });
}

}  // namespace

Result<PackResult> plan_pack(const PackOptions& options, const std::vector<InputFile>& inputs) {
    auto fates = plan_carving(inputs, options.carving);
    if (!fates) return fates.error();
    auto pack = Gathering(options).run();
    if (!pack) return pack.error();
    return PackResult{std::move(*pack), std::move(*fates), 0};
}

Result<PackResult> make_pack(const PackOptions& options, const std::vector<InputFile>& inputs,
                             const Progress& carving, const Progress& packing) {
    const auto whole = whole_path(options.archive);
    if (!whole) return whole.error();
    const std::string& place = *whole;
    std::error_code none;
    if (options.archive.ends_with('/') || fs::is_directory(place, none))
        return Error{options.archive + " names a directory. Name a file in it for the archive."};
    if (const std::string reason = why_not_replaced(place); !reason.empty()) return Error{reason};
    auto pack = Gathering(options).run();
    if (!pack) return pack.error();
    const auto workplace = Workplace::beside(place);
    if (!workplace) return workplace.error();
    const Stage stage(workplace->path() + "/content");
    CarveOptions carve_options = options.carving;
    carve_options.directory = stage.at(kCarved);
    auto fates = carve(inputs, carve_options, carving);
    if (!fates) return fates.error();
    PackResult result{std::move(*pack), std::move(*fates), 0};
    if (!are_all_carved(result.inputs)) return result;
    const std::string made = workplace->path() + "/archive";
    if (auto done = fill(stage, result.pack, result.inputs); !done) return done.error();
    if (auto done = describe(stage, options, result.pack, result.inputs); !done)
        return done.error();
    if (auto done = write_archive(stage, result.pack, made, packing); !done) return done.error();
    const auto size = put(made, place);
    if (!size) return size.error();
    result.size = *size;
    return result;
}

}  // namespace quarry
