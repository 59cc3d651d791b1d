#include "report/prov.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/calendar.hpp"

namespace quarry::report {
namespace {

using Json = nlohmann::ordered_json;

std::string named(const std::string& id) {
    return "quarry:" + id;
}

}  // namespace

std::string prov_text(const Dataflow& flow, const Graph& graph) {
    const TraceFacts& facts = flow.summary.facts;
    Json json{{"prefix", {{"quarry", "urn:quarry:"}}},
              {"activity", Json::object()},
              {"entity", Json::object()},
              {"used", Json::object()},
              {"wasGeneratedBy", Json::object()},
              {"wasInformedBy", Json::object()}};
    for (const Node& node : graph.nodes) {
        if (node.kind == NodeKind::Task) {
            const TaskFacts& task = facts.tasks[node.task];
            json["activity"][named(node.id)] = {{"prov:startTime", calendar_text(task.begin)},
                                                {"prov:endTime", calendar_text(task.end)},
                                                {"prov:label", node.label}};
        } else {
            json["entity"][named(node.id)] = {
                {"prov:label", node.label},
                {"quarry:kind", name_of(node.kind)},
                {"quarry:file", harmless(facts.files[node.file].path)}};
        }
    }
    size_t number = 0;
    const auto is_task = [&](uint32_t node) { return graph.nodes[node].kind == NodeKind::Task; };
    for (const Edge& edge : graph.edges) {
        if (!is_task(edge.from) && !is_task(edge.to)) continue;
        const std::string task = named(graph.nodes[edge.writes ? edge.from : edge.to].id);
        const std::string data = named(graph.nodes[edge.writes ? edge.to : edge.from].id);
        json[edge.writes ? "wasGeneratedBy" : "used"][fmt::format("_:edge{}", number++)] = {
            {"prov:activity", task}, {"prov:entity", data}, {"quarry:bytes", edge.unique}};
    }
    std::set<std::pair<uint32_t, uint32_t>> told;
    for (const Flow& one : graph.flows) {
        if (one.producer == one.consumer || !told.emplace(one.producer, one.consumer).second)
            continue;
        json["wasInformedBy"][fmt::format("_:flow{}", told.size())] = {
            {"prov:informed", named(graph.nodes[one.consumer].id)},
            {"prov:informant", named(graph.nodes[one.producer].id)}};
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quarry::report
