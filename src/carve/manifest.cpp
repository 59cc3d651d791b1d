#include "carve/manifest.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace quarry::carve_files {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// What people have written may hold anything; what must come back as it was is told by `exact`.
std::string dumped(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Names of files and in them need not be UTF-8: then they are told by their bytes.
Json exact(const std::string& text) {
    if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; }))
        return text;
    try {
        (void)Json(text).dump();
        return text;
    } catch (const Json::type_error&) {
        return {{"hex", hex_of(text)}};
    }
}

std::string exact_text(const Json& json) {
    return json.is_object() ? bytes_of_hex(json.at("hex").get<std::string>())
                            : json.get<std::string>();
}

Json exact_list(const std::vector<std::string>& texts) {
    Json list = Json::array();
    for (const std::string& text : texts) list.push_back(exact(text));
    return list;
}

std::vector<std::string> exact_texts(const Json& json) {
    std::vector<std::string> texts;
    for (const Json& one : json) texts.push_back(exact_text(one));
    return texts;
}

Json datasets_json(const std::vector<DatasetFate>& datasets) {
    Json json = Json::array();
    for (const DatasetFate& dataset : datasets)
        json.push_back({{"paths", exact_list(dataset.paths)},
                        {"stored", dataset.stored},
                        {"kept", dataset.is_whole},
                        {"kept_bytes", dataset.kept},
                        {"why", dataset.why}});
    return json;
}

std::vector<DatasetFate> datasets_in(const Json& json) {
    std::vector<DatasetFate> datasets;
    for (const Json& dataset : json)
        datasets.push_back({exact_texts(dataset.at("paths")), dataset.at("stored"),
                            dataset.at("kept_bytes"), dataset.at("kept"), dataset.at("why")});
    return datasets;
}

std::string hex(uint64_t number) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016jx", static_cast<uintmax_t>(number));
    return text.data();
}

}  // namespace

std::string manifest_of(const Manifest& manifest) {
    const bool in_chunks = manifest.granularity == CarveOptions::Granularity::Chunk;
    Json json{{"format", kFormat},
              {"granularity", in_chunks ? "chunk" : "object"},
              {"files", Json::array()}};
    for (const FileFate& file : manifest.files) {
        if (file.copy.empty()) continue;
        json["files"].push_back({{"original", exact(file.input.path)},
                                 {"copy", exact(file.copy)},
                                 {"size", file.size_before},
                                 {"modified", file.modified},
                                 {"checksum", hex(file.checksum)},
                                 {"copy_size", file.size_after},
                                 {"tasks", file.input.tasks},
                                 {"raw", file.input.is_raw},
                                 {"why_whole", file.why_whole},
                                 {"datasets", datasets_json(file.datasets)}});
    }
    return dumped(json, 2) + "\n";
}

Result<Manifest> read_manifest(const std::string& directory) {
    const std::string path = directory + "/" + kManifest;
    std::ifstream in(path);
    if (!in)
        return Error{directory + " holds no carved files: it has no " + kManifest +
                     ", which `quarry carve` leaves."};
    Manifest manifest;
    try {
        const Json json = Json::parse(in);
        if (json.at("format") != kFormat)
            return Error{path + " is of another version of Quarry. Carve again."};
        if (json.at("granularity") == "chunk")
            manifest.granularity = CarveOptions::Granularity::Chunk;
        for (const Json& file : json.at("files")) {
            FileFate& fate = manifest.files.emplace_back();
            fate.input.path = exact_text(file.at("original"));
            fate.copy = exact_text(file.at("copy"));
            file.at("size").get_to(fate.size_before);
            file.at("modified").get_to(fate.modified);
            fate.checksum = std::stoull(file.at("checksum").get<std::string>(), nullptr, 16);
            file.at("copy_size").get_to(fate.size_after);
            file.at("tasks").get_to(fate.input.tasks);
            file.at("raw").get_to(fate.input.is_raw);
            file.at("why_whole").get_to(fate.why_whole);
            fate.datasets = datasets_in(file.at("datasets"));
        }
    } catch (const std::exception&) {
        return Error{path + " is damaged. Carve again."};
    }
    return manifest;
}

}  // namespace quarry::carve_files
