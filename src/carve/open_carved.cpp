#include <filesystem>
#include <quarry/carved.hpp>

#include "carve/manifest.hpp"

namespace quarry {

Result<CarvedDirectory> open_carved(const std::string& directory) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path path = fs::canonical(directory, failed);
    if (failed)
        return Error{directory + " cannot be opened: " + failed.message() +
                     ". Make it with `quarry carve -o " + directory + "`."};
    const auto manifest = carve_files::read_manifest(path, carve_files::Detail::Files);
    if (!manifest) return manifest.error();
    CarvedDirectory carved{path, {}};
    for (const FileFate& file : manifest->files) {
        const fs::path below =
            fs::weakly_canonical(path / file.copy, failed).lexically_relative(path);
        if (failed || below.empty() || *below.begin() == "..")
            return Error{(path / file.copy).string() + " does not lead to a file in " +
                         path.string() + ", where copies must be. Carve again."};
        carved.files.push_back(
            {file.input.path, path / file.copy, file.size_before, file.modified});
    }
    return carved;
}

}  // namespace quarry
