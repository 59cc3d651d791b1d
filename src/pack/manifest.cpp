#include "pack/manifest.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <quarry/carved.hpp>
#include <set>

#include "base/inner_path.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace quarry::pack_files {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// Arguments and names of files need not be UTF-8: then they are told by their bytes, so that they
// come back as they were.
Json exact(const std::string& text) {
    return is_utf8(text) ? Json(text) : Json{{"hex", hex_of(text)}};
}

Json exact(const std::vector<std::string>& texts) {
    Json json = Json::array();
    for (const std::string& text : texts) json.push_back(exact(text));
    return json;
}

Json commands_json(const std::vector<PackedCommand>& commands) {
    Json json = Json::array();
    for (const PackedCommand& one : commands)
        json.push_back({{"tasks", one.tasks},
                        {"command", exact(one.command)},
                        {"directory", exact(one.directory)},
                        {"program", exact(one.program)},
                        {"rank", one.rank},
                        {"started", one.started},
                        {"top_level", one.is_top_level},
                        {"lacks_origin", one.lacks_origin}});
    return json;
}

Json programs_json(const std::vector<PackedProgram>& programs) {
    Json json = Json::array();
    for (const PackedProgram& one : programs)
        json.push_back({{"original", one.original}, {"copy", one.copy}});
    return json;
}

Json links_json(const std::vector<PackedLink>& links) {
    Json json = Json::array();
    for (const PackedLink& one : links)
        json.push_back({{"path", exact(one.path)}, {"leads_to", exact(one.leads_to)}});
    return json;
}

Json left_out_json(const std::vector<UnpackedFile>& files) {
    Json json = Json::array();
    for (const UnpackedFile& one : files)
        json.push_back({{"path", exact(one.path)}, {"why", one.why}});
    return json;
}

Json outputs_json(const std::vector<PackedOutput>& outputs) {
    Json json = Json::array();
    for (const PackedOutput& one : outputs)
        json.push_back({{"path", exact(one.path)},
                        {"hdf5", one.is_hdf5},
                        {"tasks", one.tasks},
                        {"size", one.size},
                        {"sha256", one.sha256},
                        {"copy", one.copy},
                        {"problem", one.problem}});
    return json;
}

Json versions_json(const Versions& versions) {
    Json libraries = Json::array(), pythons = Json::array(), packages = Json::array();
    for (const SystemPackage& one : versions.packages)
        packages.push_back({{"name", one.name}, {"version", one.version}});
    for (const LibraryFacts& one : versions.hdf5)
        libraries.push_back({{"path", one.path}, {"version", one.version}});
    for (const PythonVersions& one : versions.pythons) {
        Json distributions = Json::array();
        for (const Distribution& distribution : one.distributions)
            distributions.push_back(
                {distribution.name, distribution.version, distribution.is_indexed});
        pythons.push_back({{"interpreter", one.interpreter},
                           {"version", one.version},
                           {"prefix", one.prefix},
                           {"virtual", one.is_virtual},
                           {"of_system", one.is_of_system},
                           {"distributions", distributions},
                           {"problem", one.problem}});
    }
    return {{"quarry", versions.quarry},
            {"system", versions.system},
            {"system_version", versions.system_version},
            {"system_name", versions.system_name},
            {"system_codename", versions.system_codename},
            {"kernel", versions.kernel},
            {"machine", versions.machine},
            {"hdf5", libraries},
            {"python", pythons},
            {"packages", packages}};
}

Json files_json(const std::vector<PackedFile>& files) {
    Json json = Json::array();
    for (const PackedFile& one : files)
        json.push_back({{"path", one.path},
                        {"size", one.size},
                        {"sha256", one.sha256},
                        {"program", one.is_program}});
    return json;
}

// Lists are written in an order that is easy to read. What is read may be hostile: with many keys,
// only one that sorts them is fast.
using ReadJson = nlohmann::json;

std::string exact_text(const ReadJson& json) {
    return json.is_object() ? bytes_of_hex(json.at("hex").get<std::string>())
                            : json.get<std::string>();
}

std::vector<std::string> exact_texts(const ReadJson& json) {
    std::vector<std::string> texts;
    for (const ReadJson& one : json.get_ref<const ReadJson::array_t&>())
        texts.push_back(exact_text(one));
    return texts;
}

std::vector<PackedCommand> commands_in(const ReadJson& json) {
    std::vector<PackedCommand> commands;
    for (const ReadJson& one : json)
        commands.push_back({one.at("tasks"), exact_texts(one.at("command")),
                            exact_text(one.at("directory")), exact_text(one.at("program")),
                            one.at("rank"), one.at("started"), one.at("top_level"),
                            one.value("lacks_origin", false), 0});
    return commands;
}

std::vector<PackedOutput> outputs_in(const ReadJson& json) {
    std::vector<PackedOutput> outputs;
    for (const ReadJson& one : json)
        outputs.push_back({exact_text(one.at("path")), one.at("hdf5"), one.at("tasks"),
                           one.at("size"), one.at("sha256"), one.at("copy"), one.at("problem"),
                           ""});
    return outputs;
}

Versions versions_in(const ReadJson& json) {
    Versions versions;
    versions.quarry = json.at("quarry");
    versions.system = json.at("system");
    versions.system_version = json.at("system_version");
    versions.system_name = json.at("system_name");
    versions.system_codename = json.value("system_codename", "");
    versions.kernel = json.at("kernel");
    versions.machine = json.at("machine");
    for (const ReadJson& one : json.value("packages", ReadJson::array()))
        versions.packages.push_back({one.at("name"), one.at("version")});
    for (const ReadJson& one : json.at("hdf5"))
        versions.hdf5.push_back({one.at("path"), one.at("version")});
    for (const ReadJson& one : json.at("python")) {
        PythonVersions& python = versions.pythons.emplace_back();
        python.interpreter = one.at("interpreter");
        python.version = one.at("version");
        python.prefix = one.at("prefix");
        python.is_virtual = one.at("virtual");
        python.is_of_system = one.at("of_system");
        for (const ReadJson& distribution : one.at("distributions"))
            python.distributions.push_back(
                {distribution.at(0), distribution.at(1), distribution.at(2)});
        python.problem = one.at("problem");
    }
    return versions;
}

Pack pack_in(const ReadJson& json) {
    Pack pack;
    pack.versions = versions_in(json.at("versions"));
    pack.commands = commands_in(json.at("commands"));
    pack.folders = exact_texts(json.at("folders"));
    pack.outputs = outputs_in(json.at("outputs"));
    for (const ReadJson& one : json.at("programs"))
        pack.programs.push_back({one.at("original"), one.at("copy")});
    // Older archives do not tell.
    if (json.contains("python_path")) pack.python_path = exact_texts(json.at("python_path"));
    for (const ReadJson& one : json.value("links", ReadJson::array()))
        pack.links.push_back({exact_text(one.at("path")), exact_text(one.at("leads_to"))});
    pack.opens_for_writing = json.value("opens_for_writing", false);
    for (const ReadJson& one : json.value("left_out", ReadJson::array()))
        pack.left_out.push_back({exact_text(one.at("path")), one.at("why"), false});
    for (const ReadJson& one : json.at("files"))
        pack.files.push_back({one.at("path"), one.at("size"), one.at("sha256"), one.at("program")});
    return pack;
}

// A short text may hold many values, each of which takes much more memory than its text. There is
// one of these signs for each of them at least, and a few for each file of an archive.
bool is_too_large(const std::string& text) {
    constexpr ptrdiff_t kMostValues = 2 << 20;
    return text.size() > kLargestManifest ||
           std::count_if(text.begin(), text.end(), [](char character) {
               return character == ',' || character == '[' || character == '{';
           }) > kMostValues;
}

bool is_plain_path(const std::string& path) {
    return path == "/" || (path.starts_with('/') && stays_below(path.substr(1)));
}

// What running on carved files notes among them, and takes away later, and what a repeated run
// makes.
bool is_of_running(const std::string& path) {
    return path == std::string(kCarved) + "/" + kPlaceholders || path == kMadeAgain ||
           path.starts_with(std::string(kMadeAgain) + "/");
}

// What is wrong with it; empty if nothing is.
std::string complaint_about(const Pack& pack) {
    std::set<std::string> paths{kManifest, kManifestSum};
    for (const PackedFile& file : pack.files) {
        if (!stays_below(file.path)) return "the path " + file.path + " leads elsewhere";
        if (is_of_running(file.path)) return file.path + " is not for an archive";
        if (!paths.insert(file.path).second) return file.path + " is in it twice";
    }
    for (const std::string& folder : pack.folders)
        if (!is_plain_path(folder)) return "the path " + folder + " leads elsewhere";
    for (const std::string& folder : pack.python_path)
        if (!is_plain_path(folder)) return "the path " + folder + " leads elsewhere";
    for (const PackedLink& one : pack.links)
        for (const std::string& path : {one.path, one.leads_to})
            if (!is_plain_path(path)) return "the path " + path + " leads elsewhere";
    for (const PackedProgram& one : pack.programs) {
        if (!is_plain_path(one.original)) return "the path " + one.original + " leads elsewhere";
        if (!paths.contains(one.copy)) return one.copy + " is not in it";
    }
    for (const PackedOutput& one : pack.outputs)
        if (!one.copy.empty() && !paths.contains(one.copy)) return one.copy + " is not in it";
    for (const PackedOutput& one : pack.outputs)
        if (!is_plain_path(one.path)) return "the path " + one.path + " leads elsewhere";
    for (const PackedCommand& one : pack.commands)
        if (one.command.empty()) return "a command is empty";
    return "";
}

}  // namespace

std::string manifest_of(const Pack& pack) {
    const Json json{{"format", kFormat},
                    {"versions", versions_json(pack.versions)},
                    {"commands", commands_json(pack.commands)},
                    {"folders", exact(pack.folders)},
                    {"links", links_json(pack.links)},
                    {"programs", programs_json(pack.programs)},
                    {"python_path", exact(pack.python_path)},
                    {"opens_for_writing", pack.opens_for_writing},
                    {"left_out", left_out_json(pack.left_out)},
                    {"outputs", outputs_json(pack.outputs)},
                    {"files", files_json(pack.files)}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sum_line_of(const std::string& manifest) {
    return sha256_of(manifest) + "  " + kManifest + "\n";
}

Result<Pack> read_manifest(const std::string& text) {
    if (is_too_large(text))
        return Error{std::string(kManifest) + " lists more than an archive may hold."};
    std::string why;
    try {
        const ReadJson json = ReadJson::parse(text);
        if (json.at("format") != kFormat)
            return Error{std::string(kManifest) +
                         " is of a format that this version of Quarry does not know."};
        Pack pack = pack_in(json);
        why = complaint_about(pack);
        if (why.empty()) return pack;
    } catch (const ReadJson::exception&) {
        why = "it does not say what it should";
    }
    return Error{std::string(kManifest) + " is damaged: " + why + "."};
}

}  // namespace quarry::pack_files
