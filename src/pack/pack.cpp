#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <quarry/pack.hpp>
#include <set>

#include "base/file_copy.hpp"
#include "base/sha256.hpp"
#include "base/subprocess.hpp"
#include "base/whole_path.hpp"
#include "base/workplace.hpp"
#include "pack/archive.hpp"
#include "pack/container.hpp"
#include "pack/crate.hpp"
#include "pack/gather.hpp"
#include "pack/manifest.hpp"

namespace quarry {
namespace {

using namespace pack_files;
namespace fs = std::filesystem;

constexpr const char* kCrate = "ro-crate-metadata.json";

Error cannot_write(const std::string& path) {
    return {path + " cannot be written: " + std::strerror(errno) + "."};
}

Result<bool> goes_on() {
    if (InterruptGuard::signal() == 0) return true;
    return Error{"Interrupted: nothing has been changed."};
}

bool keep_executable(const std::string& from, const std::string& copy) {
    struct stat status{};
    if (stat(from.c_str(), &status) != 0) return false;
    return (status.st_mode & S_IXUSR) == 0 || chmod(copy.c_str(), 0755) == 0;
}

// All that goes into the archive, as files in a directory.
class Stage {
public:
    Stage(std::string directory, std::string archive)
        : directory_(std::move(directory)), archive_(std::move(archive)) {}

    std::string at(const std::string& path) const { return directory_ + "/" + path; }

    Result<bool> write(const std::string& path, const std::string& text) const {
        std::ofstream out(at(path), std::ios::binary);
        out << text;
        out.close();
        if (!out) return cannot_write(archive_);
        return true;
    }

    Result<bool> copy(const std::string& from, const std::string& path) const {
        std::error_code failed;
        fs::create_directories(fs::path(at(path)).parent_path(), failed);
        if (!copy_to(from, at(path)) || !keep_executable(from, at(path)))
            return Error{from + " cannot be copied: " + std::strerror(errno) + "."};
        return true;
    }

    Result<PackedFile> described(const std::string& path) const {
        struct stat status{};
        if (stat(at(path).c_str(), &status) != 0) return cannot_write(archive_);
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
    std::string archive_;  // that errors are about
};

Result<bool> fill(const Stage& stage, Pack& pack, const std::vector<FileFate>& inputs) {
    for (const PackedProgram& program : pack.programs)
        if (auto done = stage.copy(program.original, program.copy); !done) return done;
    for (PackedOutput& output : pack.outputs) {
        if (auto going = goes_on(); !going) return going;
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
                           const std::string& place, const Progress& progress) {
    uint64_t time = 0, all = 0, done = 0;
    for (const PackedCommand& command : pack.commands) time = std::max(time, command.started);
    auto writer = ArchiveWriter::create(path, place, time);
    if (!writer) return writer.error();
    std::vector<PackedFile> files;
    for (const char* name : {kManifest, kManifestSum}) {
        auto file = stage.described(name);
        if (!file) return file.error();
        files.push_back(std::move(*file));
    }
    files.insert(files.end(), pack.files.begin(), pack.files.end());
    for (const PackedFile& file : files) all += file.size;
    for (const PackedFile& file : files) {
        auto added = writer->add(file, stage.at(file.path), [&](uint64_t bytes) {
            done += bytes;
            if (progress) progress(done, all);
        });
        if (!added) return added;
        if (auto going = goes_on(); !going) return going;
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

// Where the archive is to be, if nothing else is there.
Result<std::string> place_of(const std::string& archive) {
    auto place = whole_path(archive);
    if (!place) return place;
    std::error_code none;
    // The file that a link leads to is replaced, and the link stays.
    if (fs::is_symlink(*place, none) && fs::exists(*place, none))
        place = fs::canonical(*place, none).string();
    if (archive.ends_with('/') || fs::is_directory(*place, none))
        return Error{archive + " names a directory. Name a file in it for the archive."};
    if (const std::string reason = why_not_replaced(*place); !reason.empty()) return Error{reason};
    return place;
}

// Without Quarry, as in a container, netCDF reads no variable of which some chunks are left out.
void add_caution_of_parts(PackResult& result) {
    const auto is_in_part = [](const FileFate& file) {
        return std::any_of(file.datasets.begin(), file.datasets.end(),
                           [](const auto& dataset) { return dataset.remains == Remains::Partly; });
    };
    if (std::any_of(result.inputs.begin(), result.inputs.end(), is_in_part))
        result.cautions.push_back(
            "Of some datasets only chunks are packed. `unpack --run` reads them, and so does HDF5 "
            "in a container, but netCDF does not. Pack without --granularity chunk for that.");
}

bool are_all_carved(const std::vector<FileFate>& inputs) {
    return std::all_of(inputs.begin(), inputs.end(),
                       [](const FileFate& file) { return file.problem.empty(); });
}

}  // namespace

Result<PackResult> plan_pack(const PackOptions& options, const std::vector<InputFile>& inputs) {
    const auto place = place_of(options.archive);
    if (!place) return place.error();
    if (const auto can_be = Workplace::can_be_beside(*place); !can_be) return can_be.error();
    auto gathered = gather(options, inputs);
    if (!gathered) return gathered.error();
    auto fates = plan_carving(gathered->inputs, options.carving);
    if (!fates) return fates.error();
    PackResult result{std::move(gathered->pack), std::move(*fates), std::move(gathered->cautions),
                      0};
    add_caution_of_parts(result);
    return result;
}

Result<PackResult> make_pack(const PackOptions& options, const std::vector<InputFile>& inputs,
                             const Progress& carving, const Progress& packing) {
    const auto found = place_of(options.archive);
    if (!found) return found.error();
    const std::string& place = *found;
    auto gathered = gather(options, inputs);
    if (!gathered) return gathered.error();
    const InterruptGuard guard;  // also while the workplace is taken away
    const auto workplace = Workplace::beside(place);
    if (!workplace) return workplace.error();
    const Stage stage(workplace->path() + "/content", place);
    CarveOptions carve_options = options.carving;
    carve_options.directory = stage.at(kCarved);
    auto fates = carve(gathered->inputs, carve_options, carving);
    if (!fates) return fates.error();
    PackResult result{std::move(gathered->pack), std::move(*fates), std::move(gathered->cautions),
                      0};
    add_caution_of_parts(result);
    if (!are_all_carved(result.inputs)) return result;
    const std::string made = workplace->path() + "/archive";
    if (auto done = fill(stage, result.pack, result.inputs); !done) return done.error();
    if (auto done = describe(stage, options, result.pack, result.inputs); !done)
        return done.error();
    if (auto done = write_archive(stage, result.pack, made, place, packing); !done)
        return done.error();
    const auto size = put(made, place);
    if (!size) return size.error();
    result.size = *size;
    return result;
}

}  // namespace quarry
