#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
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
    std::ifstream file(path / carve_files::kManifest);
    if (!file)
        return Error{directory + " holds no carved files: it has no " + carve_files::kManifest +
                     ", which `quarry carve` leaves."};
    const auto manifest = nlohmann::json::parse(file, nullptr, false);
    CarvedDirectory carved{path, {}};
    try {
        for (const auto& one : manifest.at("files"))
            carved.files.push_back({one.at("original"), path / one.at("copy").get<std::string>()});
    } catch (const nlohmann::json::exception&) {
        return Error{(path / carve_files::kManifest).string() +
                     " is damaged, or of another version of Quarry. Carve again."};
    }
    return carved;
}

}  // namespace quarry
