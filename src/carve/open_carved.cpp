#include <chrono>
#include <filesystem>
#include <quarry/carved.hpp>
#include <set>
#include <thread>

#include "base/directory_lock.hpp"
#include "base/mapped_file.hpp"
#include "carve/manifest.hpp"
#include "carve/ways.hpp"
#include "model/missing_data.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const void> lock_on(const std::string& directory,
                                    const std::function<void()>& waiting) {
    for (bool is_first = true;; is_first = false) {
        if (auto lock = DirectoryLock::try_to_take(directory, DirectoryLock::Kind::Shared))
            return std::make_shared<DirectoryLock>(std::move(*lock));
        if (is_first) waiting();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

// Where copies are, nothing else is a link, or an empty directory.
std::vector<CarvedWay> ways_in(const fs::path& place, const std::vector<FileFate>& files) {
    std::error_code error;
    std::vector<CarvedWay> ways;
    std::set<fs::path> tops, empty;
    for (const FileFate& file : files) tops.insert(*fs::path(file.copy).begin());
    fs::recursive_directory_iterator at(place, error), end;
    for (; !error && at != end; at.increment(error)) {
        const fs::path& path = at->path();
        if (at.depth() == 0 && !tops.contains(path.filename())) {
            at.disable_recursion_pending();
            continue;
        }
        const std::string original = "/" + path.lexically_relative(place).string();
        empty.erase(path.parent_path());
        if (at->is_symlink(error) && carve_files::leads_within(path, place))
            ways.push_back({original, fs::read_symlink(path, error)});
        else if (at->is_directory(error))
            empty.insert(path);
    }
    for (const fs::path& path : empty)
        ways.push_back({"/" + path.lexically_relative(place).string()});
    return ways;
}

// Directories that were copied in part, or over others, may hold files of several.
Result<bool> check_copy(const fs::path& directory, const FileFate& file) {
    const std::string copy = directory / file.copy;
    std::error_code failed;
    const uint64_t size = fs::file_size(copy, failed);
    if (failed) return Error{copy + " cannot be read: " + failed.message() + ". Carve again."};
    if (size == file.size_after) return true;
    return Error{copy + " is not the copy that " + (directory / carve_files::kManifest).string() +
                 " tells of: its size is another. Copy the directory as a whole, or carve again."};
}

// What tells how a file was before; programs would see it as carved without.
Result<bool> check_table(const fs::path& directory, const FileFate& file, CarvedDirectory& carved) {
    if (file.input.is_raw || !file.why_whole.empty()) return true;
    const std::string table = missing_data_path(directory, file.copy);
    const auto bytes = MappedFile::read(table);
    if (!bytes) return Error{bytes.error().message + ". Carve again."};
    const auto read = MissingData::read(std::as_bytes(std::span(bytes->bytes())));
    if (!read) return Error{table + " is damaged: " + read.error().message + ". Carve again."};
    if (read->count() > 0 && read->original().whole_checksum == 0)
        carved.without_checksum.push_back(file.input.path);
    return true;
}

}  // namespace

Result<CarvedDirectory> open_carved(const std::string& directory,
                                    const std::function<void()>& waiting) {
    std::error_code failed;
    const fs::path path = fs::canonical(directory, failed);
    if (failed)
        return Error{directory + " cannot be opened: " + failed.message() +
                     ". Make it with `quarry carve -o " + directory + "`."};
    auto in_use = lock_on(path, waiting);
    const auto manifest = carve_files::read_manifest(path, carve_files::Detail::Files);
    if (!manifest) return manifest.error();
    CarvedDirectory carved{.path = path,
                           .files = {},
                           .ways = ways_in(path, manifest->files),
                           .in_use = std::move(in_use)};
    for (const FileFate& file : manifest->files) {
        const fs::path below =
            fs::weakly_canonical(path / file.copy, failed).lexically_relative(path);
        if (failed || below.empty() || *below.begin() == "..")
            return Error{(path / file.copy).string() + " does not lead to a file in " +
                         path.string() + ", where copies must be. Carve again."};
        if (const auto copy = check_copy(path, file); !copy) return copy.error();
        if (const auto table = check_table(path, file, carved); !table) return table.error();
        carved.files.push_back(
            {file.input.path, path / file.copy, file.size_before, file.modified});
        for (const std::string& name : file.input.also_by)
            carved.files.push_back(
                {name, path / file.copy, file.size_before, file.modified, file.input.path});
    }
    return carved;
}

}  // namespace quarry
