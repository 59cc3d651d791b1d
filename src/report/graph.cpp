#include "report/graph.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <quarry/units.hpp>
#include <tuple>

namespace quarry::report {
namespace {

class Building {
public:
    explicit Building(const Dataflow& flow) : flow_(flow) {}

    Graph build() {
        for (uint32_t task = 0; task < facts().tasks.size(); ++task) task_node(task);
        for (const DataUse& use : flow_.uses) uses_[{use.task, use.object}] = &use;
        for (const UsageRow& row : flow_.summary.rows) {
            if (row.task == kNobody || row.file == kNobody) continue;
            const Usage& usage = row.usage;
            const uint64_t read = usage.moved_read + usage.other_read + usage.derived_read;
            const uint64_t written =
                usage.moved_written + usage.other_written + usage.derived_written;
            const bool writes = usage.writes > 0 || written > 0;
            const bool reads = usage.reads > 0 || read > 0 || !writes;
            if (reads) add_edge(row, false);
            if (writes) add_edge(row, true);
            Edge& first = graph_.edges[graph_.edges.size() - (reads && writes ? 2 : 1)];
            first.opens = usage.opens;
            first.touches = usage.touches;
        }
        add_regions();
        for (const DataFlow& one : flow_.flows)
            graph_.flows.push_back({task_node(one.producer), task_node(one.consumer),
                                    data_node(one.file, one.object), one.kind, one.bytes});
        return std::move(graph_);
    }

private:
    const TraceFacts& facts() const { return flow_.summary.facts; }

    uint32_t node(Node&& node) {
        const auto [known, is_new] =
            places_.try_emplace(node.id, static_cast<uint32_t>(graph_.nodes.size()));
        if (is_new) graph_.nodes.push_back(std::move(node));
        return known->second;
    }

    uint32_t task_node(uint32_t task) {
        Node one{NodeKind::Task, fmt::format("task{}", task), harmless(facts().tasks[task].name)};
        one.task = task;
        return node(std::move(one));
    }

    // An object, a file that is not HDF5, or what of an HDF5 file belongs to no object.
    uint32_t data_node(uint32_t file, uint32_t object) {
        Node one;
        one.file = file;
        if (object != kNobody && facts().objects[object].file == file) {
            const ObjectFacts& about = facts().objects[object];
            one.kind = about.kind == ObjectKind::Dataset ? NodeKind::Dataset : NodeKind::Group;
            one.id = fmt::format("object{}", object);
            one.label = harmless(about.path);
            one.object = object;
        } else {
            const bool is_hdf5 = !facts().files[file].driver.empty();
            one.kind = is_hdf5 ? NodeKind::Metadata : NodeKind::File;
            one.id = fmt::format("{}{}", is_hdf5 ? "metadata" : "file", file);
            one.label = harmless(facts().files[file].path);
        }
        return node(std::move(one));
    }

    uint32_t region_node(uint32_t file, uint64_t region) {
        const uint64_t size = flow_.summary.region_size;
        Node one{NodeKind::Region, fmt::format("region{}_{}", file, region),
                 fmt::format("{} to {} of {}", bytes_text(region * size),
                             bytes_text((region + 1) * size), harmless(facts().files[file].path))};
        one.file = file;
        one.region = region;
        return node(std::move(one));
    }

    void add_edge(const UsageRow& row, bool writes) {
        const uint32_t task = task_node(row.task);
        const uint32_t data = data_node(row.file, row.object);
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

    void add_regions() {
        std::map<std::tuple<uint32_t, uint32_t, bool>, Edge> edges;
        for (const RegionRow& row : flow_.summary.regions) {
            if (row.file == kNobody) continue;
            const uint32_t data = data_node(row.file, row.object);
            const uint32_t region = region_node(row.file, row.region);
            for (const bool writes : {false, true}) {
                const uint64_t bytes = writes ? row.written : row.read;
                if (bytes == 0) continue;
                Edge& edge = edges[{data, region, writes}];
                edge.from = writes ? data : region;
                edge.to = writes ? region : data;
                edge.writes = writes;
                edge.moved += bytes;
                edge.ios += row.ios;
                edge.metadata += std::min(row.metadata, bytes);
            }
        }
        for (const auto& [key, edge] : edges) graph_.edges.push_back(edge);
    }

    const Dataflow& flow_;
    Graph graph_;
    std::map<std::string, uint32_t> places_;
    std::map<std::pair<uint32_t, uint32_t>, const DataUse*> uses_;
};

}  // namespace

const char* name_of(NodeKind kind) {
    constexpr std::array names{"task", "dataset", "group", "metadata", "file", "region"};
    return names[static_cast<size_t>(kind)];
}

Edge& Edge::operator+=(const Edge& other) {
    opens += other.opens;
    touches += other.touches;
    calls += other.calls;
    selected += other.selected;
    unique += other.unique;
    moved += other.moved;
    metadata += other.metadata;
    ios += other.ios;
    io_time += other.io_time;
    return *this;
}

Graph graph_of(const Dataflow& flow) {
    return Building(flow).build();
}

const std::string& host_of(const TraceFacts& facts, const TaskFacts& task) {
    static const std::string unknown;
    return task.processes.empty() ? unknown : facts.processes[task.processes.front()].host;
}

std::string harmless(const std::string& text) {
    using Json = nlohmann::json;
    const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string clean = Json::parse(quoted).get<std::string>();
    std::string shown;
    for (size_t i = 0; i < clean.size(); ++i) {
        const auto code = static_cast<unsigned char>(clean[i]);
        const auto next = static_cast<unsigned char>(i + 1 < clean.size() ? clean[i + 1] : 0);
        // U+0080 to U+009F control, too.
        const bool controls_in_two = code == 0xc2 && next >= 0x80 && next < 0xa0;
        shown += code < 0x20 || code == 0x7f || controls_in_two ? ' ' : clean[i];
        if (controls_in_two) ++i;
    }
    return shown;
}

}  // namespace quarry::report
