#include <filesystem>
#include <map>
#include <quarry/carve.hpp>

namespace quarry {

std::vector<std::string> listed_with_more(const std::vector<InputFile>& inputs,
                                          const std::set<std::string>& made) {
    namespace fs = std::filesystem;
    std::set<fs::path> known(made.begin(), made.end());
    std::map<fs::path, std::set<fs::path>> endings;  // by directory
    for (const InputFile& input : inputs) {
        const fs::path path = input.place();
        known.insert(path);
        known.insert(input.also_by.begin(), input.also_by.end());
        endings[path.parent_path()].insert(path.extension());
    }
    std::vector<std::string> found;
    for (const auto& [directory, wanted] : endings) {
        std::error_code error;
        fs::directory_iterator at(directory, error), end;
        const auto is_other = [&](const fs::directory_entry& entry) {
            std::error_code unknown;
            return wanted.contains(entry.path().extension()) && !known.contains(entry.path()) &&
                   entry.is_regular_file(unknown);
        };
        while (!error && at != end && !is_other(*at)) at.increment(error);
        if (!error && at != end) found.push_back(directory);
    }
    return found;
}

}  // namespace quarry
