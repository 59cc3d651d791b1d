#include "carve/manifest.hpp"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "base/workplace.hpp"

namespace quarry::carve_files {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// Written piece by piece: a tree of it would take longer than carving a small dataset does.
// Names of files and in them need not be UTF-8: then they are told by their bytes, so that they
// come back as they were.
std::string exact(const std::string& text) {
    return is_utf8(text) ? json_quoted(text) : "{\"hex\": \"" + hex_of(text) + "\"}";
}

template <typename Items, typename Write>
std::string list_of(Items&& items, std::string_view between, Write write) {
    std::string json = "[";
    for (const auto& item : items) {
        if (json.size() > 1) json += ',';
        json += between;
        json += write(item);
    }
    return json + "]";
}

std::string exact_text(const Json& json) {
    return json.is_object() ? bytes_of_hex(json.at("hex").get<std::string>())
                            : json.get<std::string>();
}

std::vector<std::string> exact_texts(const Json& json) {
    std::vector<std::string> texts;
    for (const Json& one : json) texts.push_back(exact_text(one));
    return texts;
}

std::string dataset_json(const DatasetFate& dataset) {
    return "{\"paths\": " + list_of(dataset.paths, "", exact) +
           ", \"stored\": " + std::to_string(dataset.stored) +
           ", \"kept\": " + (dataset.is_whole ? "true" : "false") +
           ", \"kept_bytes\": " + std::to_string(dataset.kept) +
           ", \"why\": " + json_quoted(dataset.why) + "}";
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

bool has_copy(const FileFate& file) {
    return !file.copy.empty();
}

std::string file_json(const FileFate& file) {
    return "{\"original\": " + exact(file.input.path) + ",\n     \"copy\": " + exact(file.copy) +
           ",\n     \"size\": " + std::to_string(file.size_before) +
           ", \"modified\": " + std::to_string(file.modified) + ", \"checksum\": \"" +
           hex(file.checksum) + "\"" + ", \"copy_size\": " + std::to_string(file.size_after) +
           ", \"raw\": " + (file.input.is_raw ? "true" : "false") +
           ",\n     \"tasks\": " + list_of(file.input.tasks, "", json_quoted) +
           ",\n     \"why_whole\": " + json_quoted(file.why_whole) + "}";
}

std::string file_datasets_json(const FileFate& file) {
    return "{\"copy\": " + exact(file.copy) +
           ",\n     \"datasets\": " + list_of(file.datasets, "\n       ", dataset_json) + "}";
}

template <typename Write>
Result<bool> write_list(const std::string& path, const Manifest& manifest, Write write) {
    const bool in_chunks = manifest.granularity == CarveOptions::Granularity::Chunk;
    std::ofstream out(path, std::ios::binary);
    out << "{\n  \"format\": " << kFormat << ",\n  \"granularity\": \""
        << (in_chunks ? "chunk" : "object") << "\",\n  \"files\": "
        << list_of(manifest.files | std::views::filter(has_copy), "\n    ", write) << "\n}\n";
    out.close();
    if (!out || !is_synced(path))
        return Error{path + " cannot be written: " + std::strerror(errno) + "."};
    return true;
}

FileFate file_in(const Json& json) {
    FileFate file;
    file.input.path = exact_text(json.at("original"));
    file.copy = exact_text(json.at("copy"));
    json.at("size").get_to(file.size_before);
    json.at("modified").get_to(file.modified);
    file.checksum = std::stoull(json.at("checksum").get<std::string>(), nullptr, 16);
    json.at("copy_size").get_to(file.size_after);
    json.at("tasks").get_to(file.input.tasks);
    json.at("raw").get_to(file.input.is_raw);
    json.at("why_whole").get_to(file.why_whole);
    return file;
}

// Throws where it is not what was written.
Json read_list(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return Json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
}

void read_datasets(const Json& json, Manifest& manifest) {
    std::map<std::string, const Json*> by_copy;
    for (const Json& file : json.at("files"))
        by_copy[exact_text(file.at("copy"))] = &file.at("datasets");
    for (FileFate& file : manifest.files) file.datasets = datasets_in(*by_copy.at(file.copy));
}

}  // namespace

Result<bool> write_manifest(const std::string& directory, const Manifest& manifest) {
    if (auto done = write_list(directory + "/" + kDatasets, manifest, file_datasets_json); !done)
        return done;
    return write_list(directory + "/" + kManifest, manifest, file_json);
}

Result<Manifest> read_manifest(const std::string& directory, Detail detail) {
    const std::string path = directory + "/" + kManifest;
    const std::string datasets = directory + "/" + kDatasets;
    if (access(path.c_str(), F_OK) != 0)
        return Error{directory + " holds no carved files: it has no " + kManifest +
                     ", which `quarry carve` leaves."};
    Manifest manifest;
    try {
        const Json json = read_list(path);
        if (json.at("format") != kFormat)
            return Error{path + " is of another version of Quarry. Carve again."};
        if (json.at("granularity") == "chunk")
            manifest.granularity = CarveOptions::Granularity::Chunk;
        for (const Json& file : json.at("files")) manifest.files.push_back(file_in(file));
    } catch (const std::exception&) {
        return Error{path + " is damaged. Carve again."};
    }
    if (detail == Detail::Files) return manifest;
    try {
        read_datasets(read_list(datasets), manifest);
    } catch (const std::exception&) {
        return Error{datasets + " is missing or damaged. Carve again."};
    }
    return manifest;
}

}  // namespace quarry::carve_files
