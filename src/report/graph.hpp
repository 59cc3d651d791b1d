// The dataflow graph: tasks, the objects and files that they use, and who uses what.
#pragma once

#include <quarry/dataflow.hpp>
#include <string>
#include <vector>

namespace quarry::report {

enum class NodeKind : uint8_t { Task, Dataset, Group, Metadata, File };
const char* name_of(NodeKind kind);

struct Node {
    NodeKind kind = NodeKind::Task;
    std::string id;     // stable within a trace: "task0", "file3", "object7", "metadata3"
    std::string label;  // a task's name, the path of a file or of an object in it
    uint32_t task = kNobody;
    uint32_t file = kNobody;
    uint32_t object = kNobody;
};

// From a task to what it writes, and from what it reads to the task.
struct Edge {
    uint32_t from = 0;  // places in `nodes`
    uint32_t to = 0;
    bool writes = false;
    uint64_t calls = 0;
    uint64_t selected = 0;  // bytes that the program asked for
    uint64_t unique = 0;    // of different elements among them
    uint64_t moved = 0;     // bytes between HDF5 and the file, or without HDF5
    uint64_t metadata = 0;  // of these
    uint64_t ios = 0;
    uint64_t io_time = 0;  // nanoseconds
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

Graph graph_of(const Dataflow& flow);

// Names come from anywhere: valid UTF-8, and no characters that control.
std::string harmless(const std::string& text);

}  // namespace quarry::report
