#include "thresholds_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace quarry::cli {

Result<Thresholds> thresholds_from_file(const std::string& path) {
    if (path.empty()) return Thresholds{};
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) return Error{fmt::format("{} cannot be read.", path)};
    auto read = thresholds_from_json(text);
    if (!read)
        return Error{fmt::format(
            "{} holds no thresholds: {}. `quarry advise --show-thresholds` prints what there is.",
            path, read.error().message)};
    return read;
}

}  // namespace quarry::cli
