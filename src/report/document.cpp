#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <quarry/markup.hpp>
#include <quarry/report.hpp>

#include "model/family.hpp"
#include "report/calendar.hpp"
#include "report/condense.hpp"
#include "report/layout.hpp"

namespace quarry {
namespace {

using namespace report;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
// What is in a page has to be loaded; see docs/formats/report.md for what is left out.
constexpr size_t kMostLabel = 300;
constexpr size_t kMostSentence = 3000;
constexpr size_t kMostFindings = 500;
constexpr size_t kMostNodesOfFinding = 200;
constexpr size_t kMostAmounts = 40000;
constexpr size_t kMostHeat = 150000;
constexpr size_t kMostDescription = 2000;

std::string label_text(const std::string& text) {
    return shortened(harmless(text), kMostLabel);
}

// Enough digits to draw it.
double rounded(double value) {
    constexpr double kDigits = 1e4;
    return std::round(value * kDigits) / kDigits;
}

double seconds(uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-9;
}

class Document {
public:
    explicit Document(const Advice& advice)
        : advice_(advice), flow_(advice.flow), facts_(flow_.summary.facts) {
        Graph whole = graph_of(flow_);
        for (uint32_t place = 0; place < whole.nodes.size(); ++place) {
            const Node& node = whole.nodes[place];
            if (node.kind == NodeKind::Task) node_of_task_[node.task] = place;
            if (node.object != kNobody) node_of_object_[node.object] = place;
            if (node.object == kNobody && node.file != kNobody) node_of_file_[node.file] = place;
        }
        Condensed small = condensed(std::move(whole), flow_);
        graph_ = std::move(small.graph);
        for (auto* nodes : {&node_of_task_, &node_of_object_, &node_of_file_})
            for (auto& [number, place] : *nodes) place = small.places[place];
    }

    Json json(const Grouping& grouping) {
        Json result{{"format", kFormat},
                    {"trace", label_text(facts_.directory)},
                    {"began", calendar_text(activity().begin)},
                    {"seconds", seconds(activity().end - activity().begin)},
                    {"overview", sentences(overview_of(advice_))},
                    {"reservations", sentences(reservations_of(facts_))},
                    {"counts",
                     {{"tasks", facts_.tasks.size()},
                      {"processes", facts_.processes.size()},
                      {"files", facts_.files.size()},
                      {"objects", facts_.objects.size()},
                      {"records", facts_.records},
                      {"findings", advice_.findings.size()}}},
                    {"grouping", grouping_json(grouping)}};
        result["nodes"] = nodes();
        result["files"] = std::move(files_);
        result["edges"] = edges();
        result["flows"] = flows();
        result["findings"] = findings();
        result["timeline"] = timeline();
        result["heat_maps"] = heat_maps();
        return result;
    }

private:
    const Activity& activity() const { return flow_.summary.activity; }

    static Json sentences(const std::vector<std::string>& all) {
        Json json = Json::array();
        for (const std::string& one : all) json.push_back(shortened(harmless(one), kMostSentence));
        return json;
    }

    static Json grouping_json(const Grouping& grouping) {
        constexpr std::array tasks{"task", "family", "stage", "host", "window"};
        constexpr std::array data{"object", "file", "pattern", "directory"};
        return {{"tasks", tasks[static_cast<size_t>(grouping.tasks)]},
                {"data", data[static_cast<size_t>(grouping.data)]},
                {"window_seconds", grouping.window_seconds}};
    }

    // The place in "files", where it is put when it is first asked for.
    uint32_t file(uint32_t number) {
        const auto [known, is_new] =
            places_of_files_.try_emplace(number, static_cast<uint32_t>(files_.size()));
        if (!is_new) return known->second;
        const FileFacts& facts = facts_.files[number];
        const std::filesystem::path path(harmless(facts.path));
        files_.push_back({{"path", label_text(path)},
                          {"name", label_text(path.filename())},
                          {"pattern", label_text(family_of(path.string()))},
                          {"directory", label_text(path.parent_path())},
                          {"size", facts.size},
                          {"hdf5", !facts.driver.empty()}});
        return known->second;
    }

    Json nodes() {
        const std::vector<Place> places = layout_of(graph_, facts_);
        Json all = Json::array();
        for (size_t i = 0; i < graph_.nodes.size(); ++i) {
            const Node& node = graph_.nodes[i];
            Json json{{"id", node.id},
                      {"kind", report::name_of(node.kind)},
                      {"label", label_text(node.label)},
                      {"column", places[i].column},
                      {"row", places[i].row}};
            if (node.members > 1) json["members"] = node.members;
            if (node.kind == NodeKind::Task) {
                add_task(json, node);
            } else {
                json["file"] = file(node.file);
            }
            const bool is_object = node.kind == NodeKind::Dataset || node.kind == NodeKind::Group;
            if (is_object && node.members == 1) add_object(json, node.object);
            all.push_back(std::move(json));
        }
        return all;
    }

    void add_task(Json& json, const Node& node) const {
        const TaskFacts& task = facts_.tasks[node.task];
        json.update({{"begin", seconds(task.begin - std::min(task.begin, activity().begin))},
                     {"end", seconds(task.end - std::min(task.end, activity().begin))},
                     {"stage", flow_.stages[node.task]},
                     {"family", label_text(family_of(harmless(task.name)))},
                     {"host", label_text(host_of(facts_, task))},
                     {"processes", task.processes.size()}});
    }

    void add_object(Json& json, uint32_t object) const {
        json["written"] = flow_.totals[object].written;
        json["read"] = flow_.totals[object].read;
        const std::string& text = facts_.objects[object].description;
        if (text.size() > kMostDescription) return;
        const Json description = Json::parse(text, nullptr, false);
        if (description.is_object()) json["dataset"] = description;
    }

    Json edges() const {
        Json all = Json::array();
        for (const Edge& edge : graph_.edges)
            all.push_back({edge.from, edge.to, edge.writes ? 1 : 0, edge.opens, edge.touches,
                           edge.calls, edge.selected, edge.unique, edge.moved, edge.metadata,
                           edge.ios, seconds(edge.io_time)});
        return all;
    }

    Json flows() const {
        Json all = Json::array();
        for (const Flow& flow : graph_.flows)
            all.push_back(
                {flow.producer, flow.consumer, flow.through, name_of(flow.kind), flow.bytes});
        return all;
    }

    Json findings() const {
        Json all = Json::array();
        for (const Finding& finding : advice_.findings) {
            if (all.size() >= kMostFindings) break;
            std::vector<uint32_t> nodes;
            const auto add = [&](const std::map<uint32_t, uint32_t>& places, uint32_t number) {
                const auto found = places.find(number);
                const bool is_known = found != places.end();
                if (is_known && std::find(nodes.begin(), nodes.end(), found->second) == nodes.end())
                    nodes.push_back(found->second);
            };
            for (const uint32_t object : finding.objects) add(node_of_object_, object);
            for (const uint32_t task : finding.tasks) add(node_of_task_, task);
            if (finding.objects.empty()) add(node_of_file_, finding.file);
            if (nodes.size() > kMostNodesOfFinding) nodes.resize(kMostNodesOfFinding);
            const auto rule = std::find_if(all_rules().begin(), all_rules().end(),
                                           [&](const Rule& one) { return one.id == finding.id; });
            all.push_back({{"id", finding.id},
                           {"about", rule != all_rules().end() ? rule->sentence : ""},
                           {"severity", name_of(finding.severity)},
                           {"sentence", shortened(harmless(finding.sentence), kMostSentence)},
                           {"fix", shortened(harmless(finding.fix), kMostSentence)},
                           {"operations", finding.saving.operations},
                           {"bytes", finding.saving.bytes},
                           {"seconds", finding.saving.seconds},
                           {"nodes", nodes}});
        }
        return all;
    }

    Json timeline() const {
        size_t count = 0;
        for (const auto& task : activity().tasks) count += task.size();
        uint32_t joined = 1;  // parts that become one
        while (count / joined > kMostAmounts) joined *= 2;
        std::map<uint32_t, std::map<uint32_t, Activity::Amount>> nodes;
        for (const auto& [task, place] : node_of_task_) {
            for (const Activity::Amount& amount : activity().tasks[task]) {
                Activity::Amount& sum = nodes[place][amount.part / joined];
                sum.read += amount.read;
                sum.written += amount.written;
                sum.ios += amount.ios;
            }
        }
        Json tasks = Json::array();
        for (const auto& [place, parts] : nodes) {
            Json amounts = Json::array();
            for (const auto& [part, amount] : parts)
                amounts.push_back({part, amount.read, amount.written, amount.ios});
            tasks.push_back({{"node", place}, {"amounts", std::move(amounts)}});
        }
        return {{"parts", (Activity::kParts + joined - 1) / joined},
                {"part_seconds",
                 seconds(activity().end - activity().begin) / Activity::kParts * joined},
                {"tasks", std::move(tasks)}};
    }

    // A value and how often it follows, and so on.
    static Json in_runs(const std::vector<double>& values) {
        Json runs = Json::array();
        for (size_t i = 0; i < values.size();) {
            const double value = rounded(values[i]);
            size_t end = i;
            while (end < values.size() && rounded(values[end]) == value) ++end;
            runs.push_back(value);
            runs.push_back(end - i);
            i = end;
        }
        return runs;
    }

    Json heat_maps() const {
        Json all = Json::array();
        size_t size = 0;
        for (const HeatMap& map : flow_.heat_maps) {
            const auto node = node_of_object_.find(map.object);
            if (node == node_of_object_.end()) continue;
            const auto axis = [](const HeatMap::Axis& one) {
                return Json{{"dimension", one.dimension}, {"size", one.size}, {"parts", one.parts}};
            };
            Json json{{"node", node->second},
                      {"label", label_text(facts_.objects[map.object].path)},
                      {"shape", map.shape},
                      {"rows", axis(map.rows)},
                      {"columns", axis(map.columns)},
                      {"share", in_runs(map.share)},
                      {"times", in_runs(map.times)}};
            size += json["share"].size() + json["times"].size();
            if (size > kMostHeat) break;
            all.push_back(std::move(json));
        }
        return all;
    }

    const Advice& advice_;
    const Dataflow& flow_;
    const TraceFacts& facts_;
    Graph graph_;
    std::map<uint32_t, uint32_t> node_of_task_;
    std::map<uint32_t, uint32_t> node_of_object_;
    std::map<uint32_t, uint32_t> node_of_file_;
    Json files_ = Json::array();
    std::map<uint32_t, uint32_t> places_of_files_;
};

}  // namespace

std::string report_as_json(const Advice& advice, const Grouping& grouping) {
    return Document(advice).json(grouping).dump(-1, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

}  // namespace quarry
