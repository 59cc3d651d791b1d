#include "carve/manifest.hpp"

#include <nlohmann/json.hpp>

namespace quarry::carve_files {
namespace {

using Json = nlohmann::ordered_json;

// Names in HDF5 files need not be UTF-8.
std::string dumped(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json datasets_json(const std::vector<DatasetFate>& datasets) {
    Json json = Json::array();
    for (const DatasetFate& dataset : datasets)
        json.push_back({{"paths", dataset.paths},
                        {"stored", dataset.stored},
                        {"kept", dataset.is_kept},
                        {"why", dataset.why}});
    return json;
}

}  // namespace

std::string manifest_of(const std::vector<FileFate>& files) {
    Json json{{"format", 1}, {"files", Json::array()}};
    for (const FileFate& file : files) {
        if (file.copy.empty()) continue;
        json["files"].push_back({{"original", file.input.path},
                                 {"copy", file.copy},
                                 {"size", file.size_before},
                                 {"copy_size", file.size_after},
                                 {"why_whole", file.why_whole},
                                 {"datasets", datasets_json(file.datasets)}});
    }
    return dumped(json, 2) + "\n";
}

std::string fate_as_text(const FileFate& fate) {
    return dumped({{"problem", fate.problem},
                   {"why_whole", fate.why_whole},
                   {"size", fate.size_after},
                   {"datasets", datasets_json(fate.datasets)}},
                  -1);
}

bool read_fate(const std::string& text, FileFate& fate) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return false;
    fate.problem = json["problem"];
    fate.why_whole = json["why_whole"];
    fate.size_after = json["size"];
    for (const Json& dataset : json["datasets"])
        fate.datasets.push_back(
            {dataset["paths"], dataset["stored"], dataset["kept"], dataset["why"]});
    return true;
}

}  // namespace quarry::carve_files
