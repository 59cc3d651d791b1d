#include "report/ro_crate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <quarry/markup.hpp>
#include <quarry/units.hpp>
#include <set>

#include "report/calendar.hpp"

namespace quarry::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCrate = "https://w3id.org/ro/crate/1.1";
constexpr const char* kProfile = "https://w3id.org/ro/wfrun/process/0.5";
constexpr const char* kLicense = "https://spdx.org/licenses/CC0-1.0";
constexpr const char* kNoLicense = "#license";

Json link(const std::string& id) {
    return {{"@id", id}};
}

class Crate {
public:
    explicit Crate(const Dataflow& flow)
        : facts_(flow.summary.facts),
          graph_(grouped(graph_of(flow), flow, {Grouping::Tasks::Each, 0, Grouping::Data::File})) {}

    std::string text() {
        describe_actions();
        describe_files();
        Json all = Json::array();
        all.push_back({{"@id", "ro-crate-metadata.json"},
                       {"@type", "CreativeWork"},
                       {"conformsTo", link(kCrate)},
                       {"license", link(kLicense)},
                       {"about", link("./")}});
        all.push_back(root());
        all.push_back({{"@id", kProfile},
                       {"@type", "CreativeWork"},
                       {"name", "Process Run Crate"},
                       {"version", "0.5"}});
        all.push_back({{"@id", kLicense},
                       {"@type", "CreativeWork"},
                       {"name", "Creative Commons Zero v1.0 Universal"},
                       {"description", "Of this description, not of the files that it names."}});
        all.push_back({{"@id", kNoLicense},
                       {"@type", "CreativeWork"},
                       {"name", "No license is stated"},
                       {"description", "Whoever made the files tells how they may be used."}});
        for (Json& one : entities_) all.push_back(std::move(one));
        const Json crate{{"@context",
                          {"https://w3id.org/ro/crate/1.1/context",
                           "https://w3id.org/ro/terms/workflow-run/context"}},
                         {"@graph", std::move(all)}};
        return crate.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }

private:
    std::string file_id(const Node& node) const {
        return "file://" + percent_encoded(facts_.files[node.file].path);
    }

    Json root() const {
        uint64_t begin = ~uint64_t{0};
        for (const TaskFacts& task : facts_.tasks) begin = std::min(begin, task.begin);
        return {
            {"@id", "./"},
            {"@type", "Dataset"},
            {"name", "A run recorded by Quarry"},
            {"description",
             fmt::format("{} tasks and the {} files that they read and wrote, as recorded in {}.",
                         facts_.tasks.size(), facts_.files.size(), harmless(facts_.directory))},
            {"datePublished", calendar_text(facts_.tasks.empty() ? 0 : begin)},
            {"license", link(kNoLicense)},
            {"conformsTo", link(kProfile)},
            {"hasPart", parts_},
            {"mentions", actions_}};
    }

    void describe_actions() {
        std::map<uint32_t, std::pair<Json, Json>> used;  // by task: read, written
        for (const Edge& edge : graph_.edges) {
            const Node& task = graph_.nodes[edge.writes ? edge.from : edge.to];
            const Node& data = graph_.nodes[edge.writes ? edge.to : edge.from];
            if (task.kind != NodeKind::Task) continue;
            auto& [read, written] = used[task.task];
            Json& files = edge.writes ? written : read;
            const Json file = link(file_id(data));
            if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
        }
        for (uint32_t number = 0; number < facts_.tasks.size(); ++number) {
            const TaskFacts& task = facts_.tasks[number];
            const std::string id = fmt::format("#task{}", number);
            Json action{{"@id", id},
                        {"@type", "CreateAction"},
                        {"name", harmless(task.name)},
                        {"description", command_of(task)},
                        {"startTime", calendar_text(task.begin)},
                        {"endTime", calendar_text(task.end)},
                        {"instrument", link(instrument_of(task))}};
            auto& [read, written] = used[number];
            if (!read.empty()) action["object"] = std::move(read);
            if (!written.empty()) action["result"] = std::move(written);
            entities_.push_back(std::move(action));
            actions_.push_back(link(id));
        }
    }

    std::string command_of(const TaskFacts& task) const {
        if (task.processes.empty()) return "Nothing is known of its command.";
        const auto& command = facts_.processes[task.processes.front()].command;
        return harmless(fmt::format("{}", fmt::join(command, " ")));
    }

    // The program, described once.
    std::string instrument_of(const TaskFacts& task) {
        std::string program = "an unknown program";
        if (!task.processes.empty()) {
            const ProcessFacts& process = facts_.processes[task.processes.front()];
            if (!process.program.empty()) program = process.program;
        }
        const auto [known, is_new] =
            programs_.try_emplace(program, fmt::format("#program{}", programs_.size()));
        if (is_new)
            entities_.push_back({{"@id", known->second},
                                 {"@type", "SoftwareApplication"},
                                 {"name", harmless(std::filesystem::path(program).filename())},
                                 {"description", harmless(program)}});
        return known->second;
    }

    // Several files may have had a path, one after the other.
    void describe_files() {
        std::set<std::string> known;
        for (const Node& node : graph_.nodes) {
            if (node.kind != NodeKind::File || !known.insert(file_id(node)).second) continue;
            const FileFacts& file = facts_.files[node.file];
            entities_.push_back({{"@id", file_id(node)},
                                 {"@type", "File"},
                                 {"name", harmless(std::filesystem::path(file.path).filename())},
                                 {"contentSize", std::to_string(file.size)},
                                 {"encodingFormat", file.driver.empty() ? "application/octet-stream"
                                                                        : "application/x-hdf5"}});
            parts_.push_back(link(file_id(node)));
        }
    }

    const TraceFacts& facts_;
    Graph graph_;
    Json parts_ = Json::array();
    Json actions_ = Json::array();
    std::vector<Json> entities_;
    std::map<std::string, std::string> programs_;
};

}  // namespace

std::string ro_crate_text(const Dataflow& flow) {
    return Crate(flow).text();
}

}  // namespace quarry::report
