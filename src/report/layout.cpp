#include "report/layout.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

#include "model/family.hpp"

namespace quarry::report {
namespace {

// A step of the workflow has three columns: what it reads, where that lies in its file, the tasks.
constexpr uint32_t kColumnsOfStep = 3;
constexpr uint32_t kRegionColumn = 1;
constexpr uint32_t kTaskColumn = 2;

class Layout {
public:
    Layout(const Graph& graph, const TraceFacts& facts)
        : graph_(graph),
          facts_(facts),
          steps_(graph.nodes.size(), 0),
          places_(graph.nodes.size()) {}

    std::vector<Place> compute() {
        put_tasks_into_steps();
        put_data_beside_tasks();
        put_neighbours_beside_each_other();
        return std::move(places_);
    }

private:
    bool is_task(uint32_t node) const { return graph_.nodes[node].kind == NodeKind::Task; }
    const TaskFacts& task(uint32_t node) const { return facts_.tasks[graph_.nodes[node].task]; }

    // In the order in which they began. A new step begins with what needs something of this one,
    // and with what began when all of this one was over; members of one family that ran in turn
    // stay together.
    void put_tasks_into_steps() {
        std::vector<uint32_t> order;
        for (uint32_t node = 0; node < graph_.nodes.size(); ++node)
            if (is_task(node)) order.push_back(node);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
            return task(left).begin < task(right).begin;
        });
        std::map<uint32_t, std::vector<uint32_t>> producers;
        for (const Flow& flow : graph_.flows)
            if (flow.producer != flow.consumer) producers[flow.consumer].push_back(flow.producer);
        std::set<uint32_t> placed;
        std::set<std::string> families;
        uint32_t step = 0;
        uint64_t step_end = 0;
        for (const uint32_t node : order) {
            const std::string family = family_of(graph_.nodes[node].label);
            uint32_t earliest = step;
            for (const uint32_t producer : producers[node])
                if (placed.contains(producer)) earliest = std::max(earliest, steps_[producer] + 1);
            const bool is_later = !placed.empty() && task(node).begin >= step_end;
            if (is_later && !families.contains(family)) earliest = std::max(earliest, step + 1);
            if (earliest > step) {
                step = earliest;
                step_end = 0;
                families.clear();
            }
            step_end = std::max(step_end, task(node).end);
            families.insert(family);
            placed.insert(node);
            steps_[node] = step;
            places_[node].column = step * kColumnsOfStep + kTaskColumn;
        }
    }

    void put_data_beside_tasks() {
        constexpr uint32_t kNever = ~uint32_t{0};
        std::vector<uint32_t> first_writer(graph_.nodes.size(), kNever);
        std::vector<uint32_t> first_reader(graph_.nodes.size(), kNever);
        for (const Edge& edge : graph_.edges) {
            const bool between_data = !is_task(edge.from) && !is_task(edge.to);
            if (between_data) continue;
            const uint32_t data = edge.writes ? edge.to : edge.from;
            const uint32_t step = steps_[edge.writes ? edge.from : edge.to];
            uint32_t& first = (edge.writes ? first_writer : first_reader)[data];
            first = std::min(first, step);
        }
        for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
            if (is_task(node)) continue;
            // What is read before it is written was there before.
            const bool is_written =
                first_writer[node] != kNever && first_writer[node] <= first_reader[node];
            const bool is_used = is_written || first_reader[node] != kNever;
            steps_[node] = is_written ? first_writer[node] + 1 : is_used ? first_reader[node] : 0;
            places_[node].column = steps_[node] * kColumnsOfStep;
        }
        for (const Edge& edge : graph_.edges) {
            if (is_task(edge.from) || is_task(edge.to)) continue;
            const uint32_t region = edge.writes ? edge.to : edge.from;
            const uint32_t object = edge.writes ? edge.from : edge.to;
            places_[region].column = places_[object].column + kRegionColumn;
        }
    }

    // Each column is put in the order of the middle of what its nodes are connected with, again and
    // again; what lies in one file stays together.
    void put_neighbours_beside_each_other() {
        constexpr int kRounds = 6;
        std::map<uint32_t, std::vector<uint32_t>> columns;
        for (uint32_t node = 0; node < graph_.nodes.size(); ++node)
            columns[places_[node].column].push_back(node);
        for (auto& [column, nodes] : columns) {
            std::stable_sort(nodes.begin(), nodes.end(), [&](uint32_t left, uint32_t right) {
                return first_order(left) < first_order(right);
            });
            number(nodes);
        }
        std::vector<std::vector<uint32_t>> neighbours(graph_.nodes.size());
        for (const Edge& edge : graph_.edges) {
            neighbours[edge.from].push_back(edge.to);
            neighbours[edge.to].push_back(edge.from);
        }
        for (int round = 0; round < kRounds; ++round) {
            const bool to_the_right = round % 2 == 0;
            const auto settle = [&](std::vector<uint32_t>& nodes) { arrange(nodes, neighbours); };
            if (to_the_right) {
                for (auto& [column, nodes] : columns) settle(nodes);
            } else {
                for (auto& [column, nodes] : columns | std::views::reverse) settle(nodes);
            }
        }
    }

    std::tuple<uint64_t, uint32_t, const std::string&> first_order(uint32_t node) const {
        const Node& one = graph_.nodes[node];
        return {is_task(node) ? task(node).begin : 0, one.file, one.label};
    }

    void number(const std::vector<uint32_t>& nodes) {
        for (uint32_t row = 0; row < nodes.size(); ++row) places_[nodes[row]].row = row;
    }

    void arrange(std::vector<uint32_t>& nodes,
                 const std::vector<std::vector<uint32_t>>& neighbours) {
        std::map<uint32_t, double> middle;
        std::map<uint32_t, std::pair<double, double>> files;  // sum and count
        for (const uint32_t node : nodes) {
            double sum = 0;
            for (const uint32_t other : neighbours[node]) sum += places_[other].row;
            const auto count = static_cast<double>(neighbours[node].size());
            middle[node] = count > 0 ? sum / count : places_[node].row;
            auto& [file_sum, file_count] = files[graph_.nodes[node].file];
            file_sum += middle[node];
            file_count += 1;
        }
        const auto key = [&](uint32_t node) {
            const uint32_t file = graph_.nodes[node].file;
            const auto& [sum, count] = files[file];
            return std::tuple(file != kNobody ? sum / count : middle[node], file, middle[node]);
        };
        std::stable_sort(nodes.begin(), nodes.end(),
                         [&](uint32_t left, uint32_t right) { return key(left) < key(right); });
        number(nodes);
    }

    const Graph& graph_;
    const TraceFacts& facts_;
    std::vector<uint32_t> steps_;
    std::vector<Place> places_;
};

}  // namespace

std::vector<Place> layout_of(const Graph& graph, const TraceFacts& facts) {
    return Layout(graph, facts).compute();
}

}  // namespace quarry::report
