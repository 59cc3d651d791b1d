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
                        {"kept", dataset.is_whole},
                        {"kept_bytes", dataset.kept},
                        {"why", dataset.why}});
    return json;
}

std::string hex(uint64_t number) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016jx", static_cast<uintmax_t>(number));
    return text.data();
}

}  // namespace

std::string manifest_of(const std::vector<FileFate>& files) {
    Json json{{"format", 1}, {"files", Json::array()}};
    for (const FileFate& file : files) {
        if (file.copy.empty()) continue;
        json["files"].push_back({{"original", file.input.path},
                                 {"copy", file.copy},
                                 {"size", file.size_before},
                                 {"modified", file.modified},
                                 {"checksum", hex(file.checksum)},
                                 {"copy_size", file.size_after},
                                 {"tasks", file.input.tasks},
                                 {"why_whole", file.why_whole},
                                 {"datasets", datasets_json(file.datasets)}});
    }
    return dumped(json, 2) + "\n";
}

std::string job_as_text(const Job& job) {
    Json needs = Json::array();
    for (const Need& need : job.needs)
        needs.push_back({{"file", need.file}, {"dataset", need.dataset}});
    return dumped({{"problem", job.fate.problem},
                   {"why_whole", job.fate.why_whole},
                   {"size", job.fate.size_after},
                   {"checksum", job.fate.checksum},
                   {"datasets", datasets_json(job.fate.datasets)},
                   {"needs", needs}},
                  -1);
}

bool read_job(const std::string& text, Job& job) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return false;
    FileFate& fate = job.fate;
    fate.problem = json["problem"];
    fate.why_whole = json["why_whole"];
    fate.size_after = json["size"];
    fate.checksum = json["checksum"];
    fate.datasets.clear();
    for (const Json& dataset : json["datasets"])
        fate.datasets.push_back({dataset["paths"], dataset["stored"], dataset["kept_bytes"],
                                 dataset["kept"], dataset["why"]});
    job.needs.clear();
    for (const Json& need : json["needs"]) job.needs.push_back({need["file"], need["dataset"]});
    return true;
}

}  // namespace quarry::carve_files
