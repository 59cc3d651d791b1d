#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <quarry/markup.hpp>
#include <quarry/report.hpp>

#include "report/graph.hpp"
#include "report/prov.hpp"
#include "report/ro_crate.hpp"

namespace quarry {
namespace {

using namespace report;
using Json = nlohmann::ordered_json;

double seconds(uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-9;
}

Json node_json(const Dataflow& flow, const Node& node) {
    const TraceFacts& facts = flow.summary.facts;
    Json json{{"id", node.id}, {"kind", report::name_of(node.kind)}, {"label", node.label}};
    if (node.members > 1) json["members"] = node.members;
    if (node.task != kNobody && node.members == 1) {
        const TaskFacts& task = facts.tasks[node.task];
        json.update({{"begin", task.begin},
                     {"end", task.end},
                     {"stage", flow.stages[node.task]},
                     {"processes", task.processes.size()}});
    }
    if (node.file != kNobody) {
        json["file"] = harmless(facts.files[node.file].path);
        if (node.object == kNobody && node.members == 1) json["size"] = facts.files[node.file].size;
    }
    const bool is_object = node.kind == NodeKind::Dataset || node.kind == NodeKind::Group;
    if (is_object && node.members == 1) {
        json["bytes_written"] = flow.totals[node.object].written;
        json["bytes_read"] = flow.totals[node.object].read;
        const Json description =
            Json::parse(facts.objects[node.object].description, nullptr, false);
        if (description.is_object()) json["dataset"] = description;
    }
    return json;
}

std::string json_text(const Dataflow& flow, const Graph& graph) {
    Json json{{"nodes", Json::array()}, {"edges", Json::array()}, {"flows", Json::array()}};
    for (const Node& node : graph.nodes) json["nodes"].push_back(node_json(flow, node));
    for (const Edge& edge : graph.edges)
        json["edges"].push_back({{"from", graph.nodes[edge.from].id},
                                 {"to", graph.nodes[edge.to].id},
                                 {"writes", edge.writes},
                                 {"opens", edge.opens},
                                 {"touches", edge.touches},
                                 {"calls", edge.calls},
                                 {"bytes_selected", edge.selected},
                                 {"bytes_unique", edge.unique},
                                 {"bytes_moved", edge.moved},
                                 {"bytes_metadata", edge.metadata},
                                 {"ios", edge.ios},
                                 {"io_seconds", seconds(edge.io_time)}});
    for (const Flow& one : graph.flows)
        json["flows"].push_back({{"producer", graph.nodes[one.producer].id},
                                 {"consumer", graph.nodes[one.consumer].id},
                                 {"through", graph.nodes[one.through].id},
                                 {"kind", name_of(one.kind)},
                                 {"bytes", one.bytes}});
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// A string as Graphviz reads it.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char character : text) {
        if (character == '"' || character == '\\') out += '\\';
        out += character;
    }
    return out + '"';
}

std::string dot_text(const Graph& graph) {
    std::string text = "digraph dataflow {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n";
    const auto shape = [](NodeKind kind) {
        switch (kind) {
            case NodeKind::Task:
                return "shape=box, style=filled, fillcolor=\"#f4c7c3\"";
            case NodeKind::Dataset:
                return "shape=ellipse, style=filled, fillcolor=\"#fde7b0\"";
            case NodeKind::Group:
            case NodeKind::Metadata:
                return "shape=ellipse, style=filled, fillcolor=\"#e8e8e8\"";
            case NodeKind::Region:
                return "shape=cylinder, style=filled, fillcolor=\"#d9ead3\"";
            case NodeKind::File:
                break;
        }
        return "shape=note, style=filled, fillcolor=\"#c9daf8\"";
    };
    for (const Node& node : graph.nodes)
        text +=
            fmt::format("  {} [label={}, {}];\n", node.id, quoted(node.label), shape(node.kind));
    for (const Edge& edge : graph.edges)
        text +=
            fmt::format("  {} -> {} [label=\"{} B\"];\n", graph.nodes[edge.from].id,
                        graph.nodes[edge.to].id, edge.selected > 0 ? edge.selected : edge.moved);
    return text + "}\n";
}

std::string graphml_text(const Graph& graph) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
        "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
        "  <key id=\"writes\" for=\"edge\" attr.name=\"writes\" attr.type=\"boolean\"/>\n";
    for (const char* name : {"opens", "touches", "calls", "bytes_selected", "bytes_unique",
                             "bytes_moved", "bytes_metadata", "ios"})
        text += fmt::format(
            "  <key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"long\"/>\n", name);
    text +=
        "  <key id=\"io_seconds\" for=\"edge\" attr.name=\"io_seconds\" "
        "attr.type=\"double\"/>\n  <graph id=\"dataflow\" edgedefault=\"directed\">\n";
    for (const Node& node : graph.nodes)
        text += fmt::format(
            "    <node id=\"{}\"><data key=\"kind\">{}</data><data "
            "key=\"label\">{}</data></node>\n",
            node.id, report::name_of(node.kind), in_xml(node.label));
    for (const Edge& edge : graph.edges) {
        text += fmt::format(
            "    <edge source=\"{}\" target=\"{}\">"
            "<data key=\"writes\">{}</data>",
            graph.nodes[edge.from].id, graph.nodes[edge.to].id, edge.writes);
        for (const auto& [name, value] :
             {std::pair{"opens", edge.opens}, std::pair{"touches", edge.touches},
              std::pair{"calls", edge.calls}, std::pair{"bytes_selected", edge.selected},
              std::pair{"bytes_unique", edge.unique}, std::pair{"bytes_moved", edge.moved},
              std::pair{"bytes_metadata", edge.metadata}, std::pair{"ios", edge.ios}})
            text += fmt::format("<data key=\"{}\">{}</data>", name, value);
        text +=
            fmt::format("<data key=\"io_seconds\">{:.9f}</data></edge>\n", seconds(edge.io_time));
    }
    return text + "  </graph>\n</graphml>\n";
}

}  // namespace

std::string graph_text(const Dataflow& flow, GraphFormat format, const Grouping& grouping) {
    const Graph graph = grouped(graph_of(flow), flow, grouping);
    switch (format) {
        case GraphFormat::Dot:
            return dot_text(graph);
        case GraphFormat::GraphMl:
            return graphml_text(graph);
        case GraphFormat::ProvJson:
            return prov_text(flow, graph);
        case GraphFormat::RoCrate:
            return ro_crate_text(flow);
        case GraphFormat::Json:
            break;
    }
    return json_text(flow, graph);
}

}  // namespace quarry
