#include "analyze/measure.hpp"

#include <algorithm>
#include <unordered_set>

#include "analyze/credit.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/task_visitor.hpp"
#include "model/intervals.hpp"
#include "model/shape.hpp"

namespace quarry::analyze {
namespace {

constexpr uint64_t kMebibyte = 1 << 20;

// In one process.
struct Moving {
    std::vector<uint64_t> read_at;
    std::vector<uint64_t> written_at;
    IntervalSet read;
    uint64_t begin = 0;
    uint64_t end = 0;
    int64_t step = 0;
    bool is_moving = false;
    uint32_t operation = 0;
    uint64_t ios_in_call = 0;
    std::unordered_set<uint32_t> attributes;
};

uint64_t different(std::vector<uint64_t>& places) {
    std::sort(places.begin(), places.end());
    return static_cast<uint64_t>(std::unique(places.begin(), places.end()) - places.begin());
}

class Measuring : public TaskVisitor {
public:
    Measuring(const TraceIndex& index, const ProcessTables& tables, const Limits& limits,
              std::map<MeasureKey, Measure>& all)
        : TaskVisitor(index, tables), limits_(limits), all_(all) {}

    using TaskVisitor::operator();

    void operator()(const trace::Library& record, const trace::Rest&) {
        cache_ = record.major >= 2 ? 8 * kMebibyte : kMebibyte;
    }

    void operator()(const trace::Touch& record, const trace::Rest&) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || task_ == kNobody) return;
        const MeasureKey key{task_, object};
        if (record.what == static_cast<uint8_t>(trace::Touched::Extent)) ++all_[key].extensions;
        if (record.what == static_cast<uint8_t>(trace::Touched::Attribute))
            moving_[key].attributes.insert(record.name);
    }

    void operator()(const trace::Access& record, const trace::Rest& rest) {
        constexpr size_t kMostShapes = 1000;
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || task_ == kNobody ||
            (record.prefix.flags & (trace::kAccessWrite | trace::kAccessFailed)) != 0)
            return;
        const auto selection = selection_in(record, rest);
        if (!selection || selection->kind != Selection::Kind::Regular) return;
        std::vector<uint64_t> shape;
        for (const Steps& steps : selection->steps)
            shape.push_back(steps.stride * (steps.count - std::min<uint64_t>(steps.count, 1)) +
                            steps.block);
        Measure& measure = all_[{task_, object}];
        measure.elements_read += record.elements;
        measure.boxed_elements_read += elements_in(shape);
        auto& shapes = measure.shapes_read;
        if (shapes.size() < kMostShapes || shapes.contains(shape)) ++shapes[shape];
    }

    void operator()(const trace::Content& record, const trace::Rest&) {
        constexpr size_t kMostPieces = 10000;
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || task_ == kNobody || record.fingerprint == 0) return;
        Measure& measure = all_[{task_, object}];
        const bool writes = (record.prefix.flags & trace::kContentWritten) != 0;
        auto& pieces = writes ? measure.contents_written : measure.contents_read;
        if (pieces.size() < kMostPieces) pieces[record.fingerprint] = record.bytes;
    }

    void operator()(const trace::Lengths& record, const trace::Rest&) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || task_ == kNobody) return;
        Measure& measure = all_[{task_, object}];
        measure.lengths += record.count;
        measure.longest = std::max(measure.longest, record.longest);
        measure.total_length += record.total;
    }

    void operator()(const trace::Io& record, const trace::Rest&) {
        if ((record.prefix.flags & trace::kIoFailed) != 0 || record.memory != kRawData ||
            task_ == kNobody)
            return;
        const uint32_t object = credit_of(index_, tables_, record).object();
        if (object == kNobody) return;
        const bool writes = (record.prefix.flags & trace::kIoWrite) != 0;
        const MeasureKey key{task_, object};
        Measure& measure = all_[key];
        Moving& moving = moving_[key];
        measure.chunk_cache = cache_;
        measure.raw_time += record.duration;
        (writes ? measure.raw_writes : measure.raw_reads) += 1;
        (writes ? measure.raw_bytes_written : measure.raw_bytes_read) += record.size;
        if (record.size < limits_.small_bytes) ++measure.small;
        if (limits_.alignment > 0 && record.address % limits_.alignment != 0) ++measure.misaligned;
        if (!writes) moving.read.add(record.address, record.address + record.size);
        (writes ? moving.written_at : moving.read_at).push_back(record.address);
        follow(measure, moving, record);
        if (record.operation != moving.operation) end_call(measure, moving);
        moving.operation = record.operation;
        ++moving.ios_in_call;
    }

    void end() {
        for (auto& [key, moving] : moving_) {
            Measure& measure = all_[key];
            end_call(measure, moving);
            measure.places_read += different(moving.read_at);
            measure.places_written += different(moving.written_at);
            measure.unique_bytes_read += moving.read.count();
            measure.attributes += moving.attributes.size();
        }
    }

private:
    static void follow(Measure& measure, Moving& moving, const trace::Io& record) {
        const auto step = static_cast<int64_t>(record.address - moving.begin);
        const bool follows = record.address == moving.end || step == moving.step;
        if (moving.is_moving && !follows) ++measure.random;
        moving.is_moving = true;
        moving.begin = record.address;
        moving.end = record.address + record.size;
        moving.step = step;
    }

    void end_call(Measure& measure, Moving& moving) const {
        measure.most_ios_in_call = std::max(measure.most_ios_in_call, moving.ios_in_call);
        if (moving.ios_in_call > limits_.ios_per_call) {
            measure.ios_in_large_calls += moving.ios_in_call;
            ++measure.large_calls;
        }
        moving.ios_in_call = 0;
    }

    const Limits& limits_;
    std::map<MeasureKey, Measure>& all_;
    std::map<MeasureKey, Moving> moving_;
    uint64_t cache_ = kMebibyte;
};

}  // namespace

std::map<MeasureKey, Measure> measure(const TraceIndex& index, const Limits& limits) {
    std::map<MeasureKey, Measure> all;
    for (const auto& tables : index.processes) {
        Measuring measuring(index, *tables, limits, all);
        tables->file->each(measuring);
        measuring.end();
    }
    return all;
}

}  // namespace quarry::analyze
