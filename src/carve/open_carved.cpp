#include <chrono>
#include <filesystem>
#include <quarry/carved.hpp>
#include <thread>

#include "base/directory_lock.hpp"
#include "carve/manifest.hpp"

namespace quarry {
namespace {

std::shared_ptr<const void> lock_on(const std::string& directory,
                                    const std::function<void()>& waiting) {
    for (bool is_first = true;; is_first = false) {
        if (auto lock = DirectoryLock::try_to_take(directory, DirectoryLock::Kind::Shared))
            return std::make_shared<DirectoryLock>(std::move(*lock));
        if (is_first) waiting();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

}  // namespace

Result<CarvedDirectory> open_carved(const std::string& directory,
                                    const std::function<void()>& waiting) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path path = fs::canonical(directory, failed);
    if (failed)
        return Error{directory + " cannot be opened: " + failed.message() +
                     ". Make it with `quarry carve -o " + directory + "`."};
    auto in_use = lock_on(path, waiting);
    const auto manifest = carve_files::read_manifest(path, carve_files::Detail::Files);
    if (!manifest) return manifest.error();
    CarvedDirectory carved{path, {}, {}, std::move(in_use)};
    for (const FileFate& file : manifest->files) {
        const fs::path below =
            fs::weakly_canonical(path / file.copy, failed).lexically_relative(path);
        if (failed || below.empty() || *below.begin() == "..")
            return Error{(path / file.copy).string() + " does not lead to a file in " +
                         path.string() + ", where copies must be. Carve again."};
        carved.files.push_back(
            {file.input.path, path / file.copy, file.size_before, file.modified});
        for (const std::string& name : file.input.also_by)
            carved.files.push_back(
                {name, path / file.copy, file.size_before, file.modified, file.input.path});
    }
    return carved;
}

}  // namespace quarry
