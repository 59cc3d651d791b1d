#include "analyze/external_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/selection_runs.hpp"

namespace quarry::analyze {

std::vector<uint64_t> ExternalData::bytes_in_parts(const Selection& selection) const {
    constexpr uint64_t kMostRuns = 10'000'000;  // what a damaged description may ask for has no end
    std::vector<uint64_t> bytes(parts.size());
    uint64_t runs = 0;
    each_run(selection, shape, [&](uint64_t first, uint64_t count) {
        uint64_t begin = first * element_size;
        uint64_t left = count * element_size;
        for (size_t i = 0; i < parts.size() && left > 0; ++i) {
            if (begin >= parts[i].size) {
                begin -= parts[i].size;
                continue;
            }
            const uint64_t here = std::min(left, parts[i].size - begin);
            bytes[i] += here;
            left -= here;
            begin = 0;
        }
        return ++runs < kMostRuns;
    });
    return bytes;
}

std::optional<ExternalData> external_data_of(const std::string& description) {
    if (description.find("\"external\"") == std::string::npos) return std::nullopt;
    const auto json = nlohmann::json::parse(description, nullptr, false);
    if (!json.is_object() || !json.contains("external") || !json.contains("shape") ||
        !json["shape"].is_array() || !json.contains("size") || !json["size"].is_number_unsigned() ||
        !json["external"].is_array())
        return std::nullopt;
    ExternalData data;
    data.element_size = json["size"];
    for (const auto& size : json["shape"])
        data.shape.push_back(size.is_number_unsigned() ? size.get<uint64_t>() : 0);
    for (const auto& part : json["external"]) {
        if (!part.is_object() || !part.contains("file") || !part["file"].is_string())
            return std::nullopt;
        const bool limited = part.contains("size") && part["size"].is_number_unsigned();
        data.parts.push_back({part["file"].get<std::string>(),
                              limited ? part["size"].get<uint64_t>() : ~uint64_t{0}});
    }
    return data;
}

}  // namespace quarry::analyze
