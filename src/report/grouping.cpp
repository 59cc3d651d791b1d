#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <quarry/report.hpp>
#include <quarry/suggest.hpp>
#include <tuple>

#include "model/family.hpp"
#include "report/graph.hpp"

namespace quarry {
namespace {

using namespace report;

const std::map<std::string, Grouping::Tasks> kTasks{{"task", Grouping::Tasks::Each},
                                                    {"family", Grouping::Tasks::Family},
                                                    {"stage", Grouping::Tasks::Stage},
                                                    {"host", Grouping::Tasks::Host},
                                                    {"window", Grouping::Tasks::Window}};
const std::map<std::string, Grouping::Data> kData{{"object", Grouping::Data::Object},
                                                  {"file", Grouping::Data::File},
                                                  {"pattern", Grouping::Data::Pattern},
                                                  {"directory", Grouping::Data::Directory}};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename();
}

class Wholes {
public:
    Wholes(const Dataflow& flow, const Grouping& grouping) : flow_(flow), grouping_(grouping) {}

    Whole operator()(const Node& node) const {
        if (node.kind == NodeKind::Task) return whole_of_task(node);
        Whole itself{node.id, node.kind, node.id, node.label};
        if (grouping_.data == Grouping::Data::Object || node.kind == NodeKind::Region)
            return itself;
        const std::string path = harmless(facts().files[node.file].path);
        const std::string directory = std::filesystem::path(path).parent_path();
        switch (grouping_.data) {
            case Grouping::Data::Directory:
                return {"directory " + directory, NodeKind::File, "", directory + "/"};
            case Grouping::Data::Pattern:
                return {"pattern " + family_of(path), NodeKind::File, "",
                        family_of(file_name(path))};
            case Grouping::Data::File:
            case Grouping::Data::Object:
                break;
        }
        return {fmt::format("file{}", node.file), NodeKind::File, fmt::format("file{}", node.file),
                path};
    }

private:
    const TraceFacts& facts() const { return flow_.summary.facts; }

    Whole whole_of_task(const Node& node) const {
        const TaskFacts& task = facts().tasks[node.task];
        const auto whole = [](const std::string& label) {
            return Whole{"tasks " + label, NodeKind::Task, "", label};
        };
        switch (grouping_.tasks) {
            case Grouping::Tasks::Family:
                return whole(family_of(node.label));
            case Grouping::Tasks::Stage:
                return whole(fmt::format("stage {}", flow_.stages[node.task]));
            case Grouping::Tasks::Host:
                return whole(harmless(host_of(facts(), task)));
            case Grouping::Tasks::Window: {
                const double since =
                    static_cast<double>(task.begin - flow_.summary.activity.begin) * 1e-9;
                const double first =
                    std::floor(since / grouping_.window_seconds) * grouping_.window_seconds;
                return whole(
                    fmt::format("{:g} to {:g} s", first, first + grouping_.window_seconds));
            }
            case Grouping::Tasks::Each:
                break;
        }
        return {node.id, node.kind, node.id, node.label};
    }

    const Dataflow& flow_;
    const Grouping& grouping_;
};

}  // namespace

Graph report::grouped(const Graph& graph, const std::function<Whole(const Node&)>& whole_of,
                      std::vector<uint32_t>* places) {
    Graph result;
    std::map<std::string, uint32_t> known;
    std::vector<uint32_t> place;
    std::vector<std::string> ids;
    for (const Node& node : graph.nodes) {
        Whole whole = whole_of(node);
        const auto [found, is_new] =
            known.try_emplace(whole.key, static_cast<uint32_t>(result.nodes.size()));
        place.push_back(found->second);
        if (is_new) {
            result.nodes.push_back(node);
            result.nodes.back().kind = whole.kind;
            result.nodes.back().label = std::move(whole.label);
            ids.push_back(std::move(whole.id));
        } else {
            result.nodes[found->second].members += node.members;
        }
    }
    for (size_t i = 0; i < ids.size(); ++i) {
        Node& node = result.nodes[i];
        if (!ids[i].empty()) {
            node.id = ids[i];
        } else if (node.members > 1) {
            node.id = fmt::format("group{}", i);
        }
    }
    std::map<std::tuple<uint32_t, uint32_t, bool>, size_t> edges;
    for (Edge edge : graph.edges) {
        edge.from = place[edge.from];
        edge.to = place[edge.to];
        const auto [found, is_new] =
            edges.try_emplace({edge.from, edge.to, edge.writes}, result.edges.size());
        if (is_new) {
            result.edges.push_back(edge);
        } else {
            result.edges[found->second] += edge;
        }
    }
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, FlowKind>, size_t> flows;
    for (Flow flow : graph.flows) {
        flow.producer = place[flow.producer];
        flow.consumer = place[flow.consumer];
        flow.through = place[flow.through];
        const auto [found, is_new] = flows.try_emplace(
            {flow.producer, flow.consumer, flow.through, flow.kind}, result.flows.size());
        if (is_new) {
            result.flows.push_back(flow);
        } else {
            result.flows[found->second].bytes += flow.bytes;
        }
    }
    if (places != nullptr) *places = std::move(place);
    return result;
}

Graph report::grouped(const Graph& graph, const Dataflow& flow, const Grouping& grouping) {
    return grouped(graph, Wholes(flow, grouping));
}

Result<Grouping> grouping_from_text(const std::string& text) {
    Grouping grouping;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        const std::string word = text.substr(at, comma - at);
        at = comma + 1;
        const size_t colon = std::min(word.find(':'), word.size());
        const std::string name = word.substr(0, colon);
        const auto tasks = kTasks.find(name);
        const auto data = kData.find(name);
        if (data != kData.end() && colon == word.size()) {
            grouping.data = data->second;
        } else if (tasks != kTasks.end()) {
            grouping.tasks = tasks->second;
            const bool is_window = grouping.tasks == Grouping::Tasks::Window;
            if (!is_window && colon == word.size()) continue;
            const char* end = word.data() + word.size();
            const char* number = word.data() + std::min(colon + 1, word.size());
            const auto [rest, error] = std::from_chars(number, end, grouping.window_seconds);
            if (!is_window || error != std::errc() || rest != end || !(grouping.window_seconds > 0))
                return Error{fmt::format(
                    "\"{}\": only a window has a length, in seconds, as in window:60", word)};
        } else {
            std::vector<std::string> names;
            for (const auto& [known, value] : kTasks) names.push_back(known);
            for (const auto& [known, value] : kData) names.push_back(known);
            const auto meant = suggest(name, names);
            return Error{fmt::format(
                "\"{}\" is nothing to group by{} Tasks: task, family, stage, host, window:SECONDS; "
                "data: object, file, pattern, directory",
                word, meant ? fmt::format("; did you mean {}?", *meant) : ".")};
        }
    }
    return grouping;
}

}  // namespace quarry
