#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "analyze/access_history.hpp"
#include "analyze/dataflow.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/summarize.hpp"
#include "model/grid.hpp"
#include "model/intervals.hpp"
#include "model/selection_runs.hpp"

namespace quarry {
namespace {

using namespace analyze;

// The order of what different processes did.
template <typename Items>
void sort_by_time(Items& items) {
    std::stable_sort(items.begin(), items.end(),
                     [](const auto& left, const auto& right) { return left.time < right.time; });
}

class FlowFollower {
public:
    FlowFollower(Dataflow& result, History& history) : result_(result), history_(history) {}

    void run() {
        result_.totals.resize(facts().objects.size());
        choose_heat_maps();
        for (auto& [file, uses] : history_.without_hdf5) sort_by_time(uses);
        for (auto& [object, history] : history_.datasets) follow(object, history);
        for (auto& [object, items] : history_.metadata) {
            sort_by_time(items);
            follow_plain(items, FlowKind::Metadata, facts().objects[object].file, object, {});
        }
        for (auto& [file, items] : history_.without_hdf5)
            follow_plain(items, FlowKind::File, file, kNobody, written_by_hdf5(file));
        for (auto& [key, flow] : flows_) {
            flow.data.bytes += flow.elements.count() * flow.element_size;
            result_.flows.push_back(flow.data);
        }
        find_stages();
        if (runs_left_ == 0)
            facts().problems.push_back(
                "So many pieces of datasets were selected that not all of them could be followed: "
                "the flow of data is incomplete.");
    }

private:
    struct Flow {
        DataFlow data;
        IntervalSet elements;
        uint64_t element_size = 1;
    };
    // Kind, file, object, producer, consumer.
    using FlowKey = std::tuple<FlowKind, uint32_t, uint32_t, uint32_t, uint32_t>;

    TraceFacts& facts() { return result_.summary.facts; }

    Flow& flow(FlowKind kind, uint32_t file, uint32_t object, uint32_t producer,
               uint32_t consumer) {
        Flow& found = flows_[{kind, file, object, producer, consumer}];
        found.data = {producer, consumer, file, object, kind, found.data.bytes};
        return found;
    }

    // As numbers of elements in the largest shape that the dataset ever had, so that they stay the
    // same while it grows.
    static std::vector<uint64_t> largest_of(const std::vector<Shape>& shapes) {
        std::vector<uint64_t> largest;
        for (const Shape& shape : shapes) {
            if (shape.sizes.size() > largest.size()) largest.resize(shape.sizes.size());
            for (size_t i = 0; i < shape.sizes.size(); ++i)
                largest[i] = std::max(largest[i], shape.sizes[i]);
        }
        return largest;
    }

    static Selection whole(const std::vector<uint64_t>& shape) {
        Selection selection;
        selection.kind = Selection::Kind::Regular;
        selection.rank = static_cast<uint8_t>(shape.size());
        for (const uint64_t size : shape) selection.steps.push_back({0, 1, 1, size});
        return selection;
    }

    template <typename Give>
    void each_element_run(const DatasetHistory& history, const DataAccess& access,
                          const std::vector<uint64_t>& largest,
                          const std::vector<uint64_t>& current, Give&& give) {
        const auto bytes =
            std::span(history.selections).subspan(access.selection_at, access.selection_size);
        const auto selection = decode_selection(bytes);
        if (!selection) return;
        const std::array<uint64_t, 1> linear{~uint64_t{0} / 2};
        const std::span<const uint64_t> shape =
            access.is_linear ? std::span<const uint64_t>(linear) : largest;
        const auto counted = [&](uint64_t first, uint64_t count) {
            if (runs_left_ == 0) return false;
            --runs_left_;
            give(first, first + count);
            return true;
        };
        if (selection->kind != Selection::Kind::All)
            each_run(*selection, shape, counted);
        else if (largest.empty() || current == largest)
            counted(0, access.elements);
        else
            each_run(whole(current), largest, counted);
    }

    // What was done to one dataset, as numbers of elements.
    struct Touched {
        IntervalSet written;
        IntervalSet read;
        IntervalSet overwritten;
        IntervalMap<bool> read_so_far;
    };
    struct Followed {
        std::map<uint32_t, Touched> touched;  // by task
        std::map<uint32_t, DataUse> uses;     // by task
        IntervalSet written;
        IntervalSet read;
        IntervalMap<uint32_t> writers;
        std::optional<Grid> reads;  // where they are drawn
    };

    void follow(uint32_t object, DatasetHistory& history) {
        sort_by_time(history.shapes);
        sort_by_time(history.accesses);
        const std::vector<uint64_t> largest = largest_of(history.shapes);
        const auto heat_map = heat_map_of_.find(object);
        Followed followed;
        if (heat_map != heat_map_of_.end()) followed.reads.emplace(largest);
        size_t shape = 0;
        for (const DataAccess& access : history.accesses) {
            while (shape + 1 < history.shapes.size() &&
                   history.shapes[shape + 1].time <= access.time)
                ++shape;
            const std::vector<uint64_t>& current =
                shape < history.shapes.size() ? history.shapes[shape].sizes : largest;
            follow_access(object, history, access, largest, current, followed);
        }
        add_uses(object, history.element_size, followed);
        if (followed.reads)
            result_.heat_maps[heat_map->second] = drawn(object, *followed.reads, followed.read);
    }

    void follow_access(uint32_t object, const DatasetHistory& history, const DataAccess& access,
                       const std::vector<uint64_t>& largest, const std::vector<uint64_t>& current,
                       Followed& followed) {
        const uint32_t file = facts().objects[object].file;
        DataUse& use = followed.uses[access.task];
        Touched& mine = followed.touched[access.task];
        (access.writes ? use.last_write : use.last_read) = access.time;
        uint64_t& first = access.writes ? use.first_write : use.first_read;
        if (first == 0) first = access.time;
        each_element_run(history, access, largest, current, [&](uint64_t begin, uint64_t end) {
            (access.writes ? mine.written : mine.read).add(begin, end);
            (access.writes ? followed.written : followed.read).add(begin, end);
            if (access.writes) {
                followed.writers.claim(begin, end, access.task);
                mine.read_so_far.each(begin, end, [&](uint64_t from, uint64_t to, bool) {
                    mine.overwritten.add(from, to);
                });
            } else {
                if (followed.reads) followed.reads->add(begin, end - begin);
                mine.read_so_far.claim(begin, end, true);
                find_producers(history, object, file, access, followed.writers, begin, end);
            }
        });
    }

    void add_uses(uint32_t object, uint64_t element_size, Followed& followed) {
        for (auto& [task, use] : followed.uses) {
            Touched& mine = followed.touched[task];
            use.task = task;
            use.object = object;
            use.written = mine.written.count() * element_size;
            use.read = mine.read.count() * element_size;
            use.overwritten = mine.overwritten.count() * element_size;
            result_.uses.push_back(use);
        }
        result_.totals[object] = {followed.written.count() * element_size,
                                  followed.read.count() * element_size};
    }

    void choose_heat_maps() {
        constexpr size_t kMost = 200;
        std::map<uint32_t, uint64_t> read;
        for (const UsageRow& row : result_.summary.rows) {
            const uint64_t bytes = row.usage.selected_read + row.usage.derived_read;
            if (row.object != kNobody && bytes > 0) read[row.object] += bytes;
        }
        std::vector<std::pair<uint64_t, uint32_t>> order;
        for (const auto& [object, bytes] : read)
            if (history_.datasets.contains(object)) order.emplace_back(bytes, object);
        std::stable_sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
            return left.first > right.first;
        });
        for (size_t i = 0; i < std::min(order.size(), kMost); ++i)
            heat_map_of_[order[i].second] = i;
        result_.heat_maps.resize(heat_map_of_.size());
    }

    static HeatMap drawn(uint32_t object, const Grid& reads, IntervalSet& different) {
        Grid once(reads.shape());
        different.each([&](uint64_t begin, uint64_t end) { once.add(begin, end - begin); });
        const auto axis = [](const GridAxis& from) {
            return HeatMap::Axis{from.dimension, from.size, from.parts};
        };
        return {object,          reads.shape(),   axis(reads.rows()), axis(reads.columns()),
                once.averages(), reads.averages()};
    }

    void find_producers(const DatasetHistory& history, uint32_t object, uint32_t file,
                        const DataAccess& read, const IntervalMap<uint32_t>& writers,
                        uint64_t begin, uint64_t end) {
        const auto add = [&](FlowKind kind, uint32_t of, uint32_t producer, uint64_t from,
                             uint64_t to) {
            Flow& found = flow(kind, file, of, producer, read.task);
            found.element_size = history.element_size;
            found.elements.add(from, to);
        };
        uint64_t reached = begin;
        const auto unclaimed = [&](uint64_t from, uint64_t to) {
            const uint32_t writer = from < to ? writer_without_hdf5(file, read.time) : kNobody;
            if (writer != kNobody) add(FlowKind::File, object, writer, from, to);
        };
        writers.each(begin, end, [&](uint64_t from, uint64_t to, uint32_t producer) {
            unclaimed(reached, from);
            add(FlowKind::Data, object, producer, from, to);
            reached = to;
        });
        unclaimed(reached, end);
    }

    // Who was the last to write the file without HDF5, before that time.
    uint32_t writer_without_hdf5(uint32_t file, uint64_t time) const {
        const auto found = history_.without_hdf5.find(file);
        if (found == history_.without_hdf5.end()) return kNobody;
        uint32_t writer = kNobody;
        for (const PlainAccess& use : found->second) {
            if (use.time > time) break;
            if (use.writes) writer = use.task;
        }
        return writer;
    }

    std::vector<PlainAccess> written_by_hdf5(uint32_t file) {
        std::vector<PlainAccess> writes;
        for (const DataUse& use : result_.uses) {
            if (use.written > 0 && facts().objects[use.object].file == file)
                writes.push_back({use.first_write, use.task, use.written, 0, true, false, false});
        }
        return writes;
    }

    // Everybody who wrote since it was last begun anew flows to whoever reads.
    void follow_plain(const std::vector<PlainAccess>& items, FlowKind kind, uint32_t file,
                      uint32_t object, std::vector<PlainAccess> more) {
        more.insert(more.end(), items.begin(), items.end());
        sort_by_time(more);
        std::vector<uint32_t> writers;
        for (const PlainAccess& item : more) {
            if (item.reads) {
                for (const uint32_t writer : writers)
                    flow(kind, file, object, writer, item.task).data.bytes += item.read;
            }
            if (item.begins) writers.clear();
            const bool is_new =
                std::find(writers.begin(), writers.end(), item.task) == writers.end();
            if (item.writes && is_new) writers.push_back(item.task);
        }
    }

    // A task comes after all that its data came through. Those that feed one another are told
    // apart by when they began.
    void find_stages() {
        const std::vector<TaskFacts>& tasks = facts().tasks;
        std::vector<uint32_t> order(tasks.size());
        for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
            return tasks[left].begin < tasks[right].begin;
        });
        std::vector<size_t> place(tasks.size());
        for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        std::map<uint32_t, std::vector<uint32_t>> producers;
        for (const DataFlow& flow : result_.flows) {
            if (place[flow.producer] < place[flow.consumer])
                producers[flow.consumer].push_back(flow.producer);
        }
        result_.stages.assign(tasks.size(), 0);
        for (const uint32_t task : order) {
            for (const uint32_t producer : producers[task])
                result_.stages[task] = std::max(result_.stages[task], result_.stages[producer] + 1);
        }
    }

    Dataflow& result_;
    History& history_;
    std::map<FlowKey, Flow> flows_;
    std::map<uint32_t, size_t> heat_map_of_;  // object -> place
    // What a damaged trace may ask for has no end.
    uint64_t runs_left_ = 300'000'000;
};

}  // namespace

const char* name_of(FlowKind kind) {
    constexpr std::array names{"data", "metadata", "file"};
    return names[static_cast<size_t>(kind)];
}

Dataflow analyze::dataflow_of(TraceIndex&& index, uint64_t region_size) {
    History history = history_of(index);
    Dataflow result;
    result.summary = summarize(std::move(index), region_size);
    FlowFollower(result, history).run();
    return result;
}

Result<Dataflow> dataflow_of_trace(const std::string& directory, uint64_t region_size) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    return dataflow_of(std::move(*index), region_size);
}

}  // namespace quarry
