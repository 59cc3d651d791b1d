// The dataflow graph: tasks, the objects and files that they use, and who uses what.
#pragma once

#include <functional>
#include <quarry/report.hpp>
#include <string>
#include <vector>

namespace quarry::report {

enum class NodeKind : uint8_t { Task, Dataset, Group, Metadata, File, Region };
const char* name_of(NodeKind kind);

struct Node {
    NodeKind kind = NodeKind::Task;
    std::string id;     // stable within a trace: "task0", "file3", "object7", "metadata3"
    std::string label;  // a task's name, the path of a file or of an object in it
    // Where it stands for several, those of the first.
    uint32_t task = kNobody;
    uint32_t file = kNobody;
    uint32_t object = kNobody;
    uint64_t region = 0;
    uint32_t members = 1;
};

// From a task to what it writes, and from what it reads to the task; between an object and the
// regions of its file where it lies in the same directions.
struct Edge {
    uint32_t from = 0;  // places in `nodes`
    uint32_t to = 0;
    bool writes = false;
    uint64_t opens = 0;  // of the object, and uses of its attributes and links
    uint64_t touches = 0;
    uint64_t calls = 0;
    uint64_t selected = 0;  // bytes that the program asked for
    uint64_t unique = 0;    // of different elements among them
    uint64_t moved = 0;     // bytes between HDF5 and the file, or without HDF5
    uint64_t metadata = 0;  // of these
    uint64_t ios = 0;
    uint64_t io_time = 0;  // nanoseconds

    Edge& operator+=(const Edge& other);
};

// Who has read what who was the last to write.
struct Flow {
    uint32_t producer = 0;  // places in `nodes`
    uint32_t consumer = 0;
    uint32_t through = 0;
    FlowKind kind = FlowKind::Data;
    uint64_t bytes = 0;
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Flow> flows;
};

Graph graph_of(const Dataflow& flow);

// What a node becomes a part of.
struct Whole {
    std::string key;
    NodeKind kind;
    std::string id;  // empty: its own where it is alone, a new one otherwise
    std::string label;
};

// Nodes with the same key become one, and so do the edges between them. `places` tells for each
// node of the first graph which of the second it is.
Graph grouped(const Graph& graph, const std::function<Whole(const Node&)>& whole_of,
              std::vector<uint32_t>* places = nullptr);

Graph grouped(const Graph& graph, const Dataflow& flow, const Grouping& grouping);

const std::string& host_of(const TraceFacts& facts, const TaskFacts& task);

// Names come from anywhere: valid UTF-8, and no characters that control.
std::string harmless(const std::string& text);

}  // namespace quarry::report
