#include "carve/replaceable.hpp"

#include <filesystem>
#include <quarry/carve.hpp>
#include <quarry/carved.hpp>
#include <set>

#include "carve/manifest.hpp"
#include "carve/ways.hpp"
#include "model/missing_data.hpp"

namespace quarry::carve_files {
namespace {

namespace fs = std::filesystem;

bool can_be_read(const fs::path& folder) {
    std::error_code error;
    const fs::directory_iterator first(folder, error);
    return !error;
}

// What is in the directory and not ours, if anything is. What is in a directory that cannot be read
// nobody knows.
std::string something_else_in(const fs::path& place) {
    std::set<std::string> ours{kManifest, kDatasets, kPlaceholders};
    if (const auto manifest = read_manifest(place, Detail::Files))
        for (const FileFate& file : manifest->files) {
            ours.insert(file.copy);
            ours.insert(std::string(kMissingData) + "/" + file.copy);
        }
    std::error_code error;
    fs::recursive_directory_iterator at(place, error), end;
    for (; !error && at != end; at.increment(error)) {
        const std::string path = at->path().lexically_relative(place);
        const bool is_folder = fs::is_directory(at->symlink_status(error));
        const bool is_strange = is_folder
                                    ? !can_be_read(at->path())
                                    : !ours.contains(path) && !leads_within(at->path(), place);
        if (is_strange) return path;
    }
    return error ? "what cannot be read" : "";
}

}  // namespace

std::string why_not_replaced(const std::string& place) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(place, error))) return "";
    if (!fs::is_directory(place, error)) return place + " is there, and is no directory.";
    if (fs::is_empty(place, error)) return "";
    if (!fs::exists(place + "/" + kManifest, error))
        return place + " is there and was not made by `quarry carve`: it is left alone.";
    const std::string other = something_else_in(place);
    if (other.empty()) return "";
    return place + " holds " + other +
           ", which `quarry carve` has not made: it is left alone. Move that elsewhere, or carve "
           "into another directory.";
}

}  // namespace quarry::carve_files
