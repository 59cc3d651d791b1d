#include "report/condense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "model/family.hpp"

namespace quarry::report {
namespace {

constexpr size_t kMostNodes = 2500;
constexpr size_t kMostEdges = 10000;
constexpr size_t kMostFlows = 30000;

// From all there is to as little as can be told.
enum class DataLevel { Each, Family, Parent, File, Pattern, Directory };
enum class TaskLevel { Each, Family, Stage };

std::string parent_of(const std::string& path) {
    return std::filesystem::path(path).parent_path();
}

Whole data_at(const Node& node, const TraceFacts& facts, DataLevel level) {
    const auto in_file = [&](const std::string& path) {
        return Whole{fmt::format("{} {} {}", static_cast<int>(node.kind), node.file, path),
                     node.kind, "", path};
    };
    const bool is_object = node.kind == NodeKind::Dataset || node.kind == NodeKind::Group;
    const std::string path = harmless(facts.files[node.file].path);
    switch (level) {
        case DataLevel::Each:
            break;
        case DataLevel::Family:
            if (is_object) return in_file(family_of(node.label));
            break;
        case DataLevel::Parent:
            if (is_object) return in_file(family_of(parent_of(node.label)) + "/*");
            break;
        case DataLevel::File:
            return {fmt::format("file{}", node.file), NodeKind::File, "", path};
        case DataLevel::Pattern:
            return {"pattern " + family_of(path), NodeKind::File, "", family_of(path)};
        case DataLevel::Directory:
            return {"directory " + parent_of(path), NodeKind::File, "", parent_of(path) + "/"};
    }
    return {node.id, node.kind, node.id, node.label};
}

Whole task_at(const Node& node, const Dataflow& flow, TaskLevel level) {
    switch (level) {
        case TaskLevel::Each:
            break;
        case TaskLevel::Family:
            return {"tasks " + family_of(node.label), NodeKind::Task, "", family_of(node.label)};
        case TaskLevel::Stage: {
            const std::string stage = fmt::format("stage {}", flow.stages[node.task]);
            return {"tasks " + stage, NodeKind::Task, "", stage};
        }
    }
    return {node.id, node.kind, node.id, node.label};
}

size_t count_tasks(const Graph& graph) {
    return static_cast<size_t>(
        std::count_if(graph.nodes.begin(), graph.nodes.end(),
                      [](const Node& node) { return node.kind == NodeKind::Task; }));
}

}  // namespace

Condensed condensed(Graph&& graph, const Dataflow& flow) {
    const auto fits = [](const Graph& one) {
        return one.nodes.size() <= kMostNodes && one.edges.size() <= kMostEdges &&
               one.flows.size() <= kMostFlows;
    };
    Condensed result;
    if (fits(graph)) {
        result.places.resize(graph.nodes.size());
        std::iota(result.places.begin(), result.places.end(), 0);
        result.graph = std::move(graph);
        return result;
    }
    DataLevel data = DataLevel::Each;
    TaskLevel tasks = TaskLevel::Each;
    result.graph = graph;
    while (!fits(result.graph)) {
        const size_t task_nodes = count_tasks(result.graph);
        const bool most_are_tasks = task_nodes > result.graph.nodes.size() - task_nodes;
        const bool data_at_end = data == DataLevel::Directory;
        const bool tasks_at_end = tasks == TaskLevel::Stage;
        if (data_at_end && tasks_at_end) break;
        if (!tasks_at_end && (most_are_tasks || data_at_end)) {
            tasks = static_cast<TaskLevel>(static_cast<int>(tasks) + 1);
        } else {
            data = static_cast<DataLevel>(static_cast<int>(data) + 1);
        }
        result.graph = grouped(
            graph,
            [&](const Node& node) {
                return node.kind == NodeKind::Task ? task_at(node, flow, tasks)
                                                   : data_at(node, flow.summary.facts, data);
            },
            &result.places);
    }
    return result;
}

}  // namespace quarry::report
