#include "pack/crate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <quarry/dataflow.hpp>
#include <quarry/markup.hpp>
#include <quarry/report.hpp>
#include <set>

#include "base/text.hpp"
#include "pack/manifest.hpp"

namespace quarry::pack_files {
namespace {

using Json = nlohmann::ordered_json;

// The crate of a trace names files by where they were. Those that are in the archive get the names
// that they have there.
class PackCrate {
public:
    explicit PackCrate(const std::string& text) : json_(Json::parse(text)) {}

    void leave_out_other_tasks(const std::vector<std::string>& wanted) {
        if (wanted.empty()) return;
        const auto is_other = [&](const Json& one) {
            return one["@type"] == "CreateAction" &&
                   std::find(wanted.begin(), wanted.end(), one["name"].get<std::string>()) ==
                       wanted.end();
        };
        keep_only([&](const Json& one) { return !is_other(one); });
        std::set<std::string> used;
        size_t tasks = 0;
        for (const Json& one : json_["@graph"]) {
            if (one["@type"] != "CreateAction") continue;
            ++tasks;
            for (const char* list : {"object", "result"})
                for (const Json& file : one.value(list, Json::array())) used.insert(file["@id"]);
        }
        keep_only([&](const Json& one) {
            return one["@type"] != "File" || used.contains(one["@id"].get<std::string>());
        });
        root()["description"] =
            fmt::format("{} tasks and the {} files that they read and wrote.", tasks, used.size());
    }

    // `name` is that of a file in the archive.
    void rename(const std::string& original, const std::string& name) {
        names_[address_of(original)] = percent_encoded(name);
    }

    void move(const std::string& original, const std::string& place) {
        names_[address_of(original)] = address_of(place);
    }

    std::string text(const Pack& pack) {
        rename_in(json_["@graph"]);
        name_each_once(json_["@graph"]);
        std::map<std::string, Json*> known;
        for (Json& one : json_["@graph"]) known[one["@id"]] = &one;
        std::vector<Json> added;
        for (const PackedFile& file : pack.files) {
            const auto found = known.find(percent_encoded(file.path));
            if (found != known.end())
                describe(*found->second, file);
            else
                added.push_back(described(file));
        }
        // A trace tells the sizes that files had when they were opened.
        for (const PackedOutput& output : pack.outputs)
            if (const auto found = known.find(address_of(output.path));
                found != known.end() && output.problem.empty())
                describe(*found->second, output);
        for (Json& one : added) {
            root()["hasPart"].push_back({{"@id", one["@id"]}});
            json_["@graph"].push_back(std::move(one));
        }
        root()["name"] = "A run packed by Quarry";
        return json_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }

private:
    // And names of those only.
    template <typename Condition>
    void keep_only(const Condition& is_kept) {
        std::set<std::string> gone;
        for (const Json& one : json_["@graph"])
            if (!is_kept(one)) gone.insert(one["@id"]);
        const auto erase = [&](Json& list) {
            Json kept = Json::array();
            for (Json& one : list)
                if (!gone.contains(one["@id"])) kept.push_back(std::move(one));
            list = std::move(kept);
        };
        erase(json_["@graph"]);
        erase(root()["mentions"]);
        erase(root()["hasPart"]);
    }

    // A file that has had several names has one by now.
    static void name_each_once(Json& json) {
        std::set<std::string> known;
        const auto is_first = [&](const Json& one) {
            return !one.is_object() || !one.contains("@id") || known.insert(one["@id"]).second;
        };
        if (json.is_array()) {
            Json kept = Json::array();
            for (Json& one : json)
                if (is_first(one)) kept.push_back(std::move(one));
            json = std::move(kept);
        }
        for (Json& value : json)
            if (value.is_structured()) name_each_once(value);
    }

    Json& root() {
        for (Json& one : json_["@graph"])
            if (one["@id"] == "./") return one;
        return json_;
    }

    void rename_in(Json& json) {
        for (auto& [key, value] : json.items()) {
            if (value.is_structured()) rename_in(value);
            const auto name = key == "@id" ? names_.find(value) : names_.end();
            if (name != names_.end()) value = name->second;
        }
    }

    static std::string address_of(const std::string& path) {
        return "file://" + percent_encoded(path);
    }

    template <typename File>
    static void describe(Json& entity, const File& file) {
        entity["contentSize"] = std::to_string(file.size);
        entity["sha256"] = file.sha256;
    }

    static Json described(const PackedFile& file) {
        Json entity{
            {"@id", percent_encoded(file.path)}, {"@type", "File"}, {"name", base_name(file.path)}};
        describe(entity, file);
        return entity;
    }

    Json json_;
    std::map<std::string, std::string> names_;
};

void name_output(PackCrate& crate, const PackedOutput& output) {
    const std::string& made = output.former.empty() ? output.path : output.former;
    if (!output.copy.empty())
        crate.rename(made, output.copy);
    else if (made != output.path)
        crate.move(made, output.path);
}

}  // namespace

Result<std::string> crate_of(const PackOptions& options, const Pack& pack,
                             const std::vector<FileFate>& inputs) {
    const auto flow = dataflow_of_trace(options.trace);
    if (!flow) return flow.error();
    PackCrate crate(graph_text(*flow, GraphFormat::RoCrate));
    crate.leave_out_other_tasks(options.tasks);
    for (const FileFate& file : inputs)
        if (!file.copy.empty())
            crate.rename(file.input.path, std::string(kCarved) + "/" + file.copy);
    for (const PackedProgram& program : pack.programs) crate.rename(program.original, program.copy);
    for (const PackedOutput& output : pack.outputs) name_output(crate, output);
    return crate.text(pack);
}

}  // namespace quarry::pack_files
