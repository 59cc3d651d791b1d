#include "carve/manifest.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/inner_path.hpp"
#include "base/json_text.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "base/workplace.hpp"

namespace quarry::carve_files {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 5;

// Names of files and in them need not be UTF-8: then they are told by their bytes, so that they
// come back as they were.
std::string exact(const std::string& text) {
    return is_utf8(text) ? json_quoted(text) : "{\"hex\": \"" + hex_of(text) + "\"}";
}

// Written piece by piece: a tree of it would take longer than carving a small dataset does.
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
    for (const Json& one : json.get_ref<const Json::array_t&>()) texts.push_back(exact_text(one));
    return texts;
}

std::string dataset_json(const DatasetFate& dataset) {
    return "{\"paths\": " + list_of(dataset.paths, "", exact) +
           ", \"stored\": " + std::to_string(dataset.stored) +
           ", \"what\": " + json_quoted(word_for(dataset.remains)) +
           ", \"kept_bytes\": " + std::to_string(dataset.kept) +
           ", \"why\": " + json_quoted(dataset.why) + "}";
}

// Whatever reads them throws where something is not as it was written.
void insist(bool is_fine) {
    if (!is_fine) throw std::invalid_argument("it was not written like this");
}

uint64_t number_in(const Json& json) {
    insist(json.is_number_unsigned());
    return json.get<uint64_t>();
}

Remains remains_in(const Json& json) {
    for (const Remains one : {Remains::Kept, Remains::Partly, Remains::Elsewhere, Remains::Hollow})
        if (json == word_for(one)) return one;
    throw std::invalid_argument("no such word");
}

std::vector<DatasetFate> datasets_in(const Json& json) {
    std::vector<DatasetFate> datasets;
    for (const Json& dataset : json) {
        datasets.push_back({exact_texts(dataset.at("paths")), number_in(dataset.at("stored")),
                            number_in(dataset.at("kept_bytes")), remains_in(dataset.at("what")),
                            dataset.at("why")});
        insist(!datasets.back().paths.empty());
    }
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
    return "{\"original\": " + exact(file.input.path) +
           ", \"also\": " + list_of(file.input.also_by, "", exact) +
           ",\n     \"copy\": " + exact(file.copy) +
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

bool is_whole(const std::string& path) {
    const std::filesystem::path parts = path;
    return path.starts_with('/') && path.find('\0') == std::string::npos &&
           std::find(parts.begin(), parts.end(), "..") == parts.end();
}

FileFate file_in(const Json& json) {
    FileFate file;
    file.input.path = exact_text(json.at("original"));
    file.copy = exact_text(json.at("copy"));
    // Who wrote the list may not be who reads it: no copy is to be found outside of its directory.
    insist(is_whole(file.input.path) && stays_below(file.copy));
    for (const std::string& path : exact_texts(json.at("also"))) {
        insist(is_whole(path));
        file.input.also_by.insert(path);
    }
    file.size_before = number_in(json.at("size"));
    file.modified = number_in(json.at("modified"));
    file.checksum = std::stoull(json.at("checksum").get<std::string>(), nullptr, 16);
    file.size_after = number_in(json.at("copy_size"));
    json.at("tasks").get_to(file.input.tasks);
    json.at("raw").get_to(file.input.is_raw);
    json.at("why_whole").get_to(file.why_whole);
    return file;
}

Result<bool> read_list(const std::string& path, const std::function<void(const Json&)>& take) {
    const auto file = MappedFile::open(path);
    if (!file) return Error{file.error().message + "."};
    try {
        const Json json = Json::parse(file->bytes().begin(), file->bytes().end());
        if (json.at("format") != kFormat)
            return Error{path + " is of another version of Quarry. Carve again."};
        take(json);
    } catch (const std::exception&) {
        return Error{path + " is damaged. Carve again."};
    }
    return true;
}

void read_files(const Json& json, Manifest& manifest) {
    if (json.at("granularity") == "chunk") manifest.granularity = CarveOptions::Granularity::Chunk;
    for (const Json& file : json.at("files").get_ref<const Json::array_t&>())
        manifest.files.push_back(file_in(file));
}

void read_datasets(const Json& json, Manifest& manifest) {
    std::map<std::string, const Json*> by_copy;
    for (const Json& file : json.at("files"))
        by_copy[exact_text(file.at("copy"))] = &file.at("datasets");
    for (FileFate& file : manifest.files) file.datasets = datasets_in(*by_copy.at(file.copy));
}

}  // namespace
}  // namespace quarry::carve_files

namespace quarry {

std::string_view word_for(Remains remains) {
    switch (remains) {
        case Remains::Kept:
            return "kept";
        case Remains::Partly:
            return "partly";
        case Remains::Elsewhere:
            return "elsewhere";
        case Remains::Hollow:
            break;
    }
    return "hollow";
}

}  // namespace quarry

namespace quarry::carve_files {

Result<bool> write_manifest(const std::string& directory, const Manifest& manifest) {
    if (auto done = write_list(directory + "/" + kDatasets, manifest, file_datasets_json); !done)
        return done;
    return write_list(directory + "/" + kManifest, manifest, file_json);
}

Result<Manifest> read_manifest(const std::string& directory, Detail detail) {
    const std::string path = directory + "/" + kManifest;
    if (access(directory.c_str(), F_OK) != 0)
        return Error{directory + " cannot be opened: " + std::strerror(errno) +
                     ". `quarry carve -o DIR` makes such directories."};
    if (access(path.c_str(), F_OK) != 0)
        return Error{directory + " holds no carved files: it has no " + kManifest +
                     ", which `quarry carve` leaves."};
    Manifest manifest;
    const auto files = read_list(path, [&](const Json& json) { read_files(json, manifest); });
    if (!files) return files.error();
    if (detail == Detail::Files) return manifest;
    const auto datasets = read_list(directory + "/" + kDatasets,
                                    [&](const Json& json) { read_datasets(json, manifest); });
    if (!datasets) return datasets.error();
    return manifest;
}

}  // namespace quarry::carve_files
