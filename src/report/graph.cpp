#include "report/graph.hpp"

#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace quarry::report {
namespace {

class Building {
public:
    explicit Building(const Dataflow& flow) : flow_(flow) {}

    Graph build() {
        for (const DataUse& use : flow_.uses) uses_[{use.task, use.object}] = &use;
        for (const UsageRow& row : flow_.summary.rows) {
            if (row.task == kNobody || row.file == kNobody) continue;
            const Usage& usage = row.usage;
            const uint64_t read = usage.moved_read + usage.other_read + usage.derived_read;
            const uint64_t written =
                usage.moved_written + usage.other_written + usage.derived_written;
            if (usage.reads > 0 || read > 0 || (written == 0 && usage.writes == 0))
                add_edge(row, false);
            if (usage.writes > 0 || written > 0) add_edge(row, true);
        }
        return std::move(graph_);
    }

private:
    const TraceFacts& facts() const { return flow_.summary.facts; }

    uint32_t node(const std::string& id, NodeKind kind, const std::string& label, uint32_t task,
                  uint32_t file, uint32_t object) {
        const auto [known, is_new] =
            places_.try_emplace(id, static_cast<uint32_t>(graph_.nodes.size()));
        if (is_new) graph_.nodes.push_back({kind, id, harmless(label), task, file, object});
        return known->second;
    }

    uint32_t task_node(uint32_t task) {
        return node("task" + std::to_string(task), NodeKind::Task, facts().tasks[task].name, task,
                    kNobody, kNobody);
    }

    // What a row is about: an object, a file that is not HDF5, or what of an HDF5 file belongs to
    // no object.
    uint32_t data_node(const UsageRow& row) {
        const FileFacts& file = facts().files[row.file];
        const std::string number = std::to_string(row.file);
        if (row.object != kNobody && facts().objects[row.object].file == row.file) {
            const ObjectFacts& object = facts().objects[row.object];
            const bool is_dataset = object.kind == ObjectKind::Dataset;
            return node("object" + std::to_string(row.object),
                        is_dataset ? NodeKind::Dataset : NodeKind::Group, object.path, kNobody,
                        row.file, row.object);
        }
        const bool is_hdf5 = !file.driver.empty();
        return is_hdf5
                   ? node("metadata" + number, NodeKind::Metadata, file.path, kNobody, row.file,
                          kNobody)
                   : node("file" + number, NodeKind::File, file.path, kNobody, row.file, kNobody);
    }

    void add_edge(const UsageRow& row, bool writes) {
        const uint32_t task = task_node(row.task);
        const uint32_t data = data_node(row);
        const Usage& usage = row.usage;
        const auto use = uses_.find({row.task, row.object});
        Edge edge;
        edge.from = writes ? task : data;
        edge.to = writes ? data : task;
        edge.writes = writes;
        edge.calls = writes ? usage.writes : usage.reads;
        edge.selected = writes ? usage.selected_written : usage.selected_read;
        if (use != uses_.end()) edge.unique = writes ? use->second->written : use->second->read;
        edge.moved = writes ? usage.moved_written + usage.other_written
                            : usage.moved_read + usage.other_read;
        edge.metadata =
            writes ? usage.metadata_written : usage.metadata_bytes - usage.metadata_written;
        edge.ios = writes ? usage.write_ios : usage.ios - usage.write_ios;
        edge.io_time = writes ? usage.write_time : usage.io_time - usage.write_time;
        graph_.edges.push_back(edge);
    }

    const Dataflow& flow_;
    Graph graph_;
    std::map<std::string, uint32_t> places_;
    std::map<std::pair<uint32_t, uint32_t>, const DataUse*> uses_;
};

}  // namespace

const char* name_of(NodeKind kind) {
    constexpr std::array names{"task", "dataset", "group", "metadata", "file"};
    return names[static_cast<size_t>(kind)];
}

Graph graph_of(const Dataflow& flow) {
    return Building(flow).build();
}

std::string harmless(const std::string& text) {
    using Json = nlohmann::json;
    const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string clean = Json::parse(quoted).get<std::string>();
    for (char& character : clean) {
        const auto code = static_cast<unsigned char>(character);
        if (code < 0x20 || code == 0x7f) character = ' ';
    }
    return clean;
}

}  // namespace quarry::report
