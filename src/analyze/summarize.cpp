#include <algorithm>
#include <map>
#include <quarry/trace.hpp>

#include "analyze/activity.hpp"
#include "analyze/credit.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/summarize.hpp"
#include "analyze/task_visitor.hpp"
#include "model/intervals.hpp"

namespace quarry {
namespace {

using namespace analyze;

struct RowKey {
    uint32_t task;
    uint32_t file;
    uint32_t object;
    auto operator<=>(const RowKey&) const = default;
};

struct Row {
    Usage usage;
    IntervalSet bytes;
};

// Where a process was in a file.
struct Position {
    uint64_t begin = 0;
    uint64_t end = 0;
    int64_t step = 0;
    bool known = false;
};

struct RegionKey {
    RowKey row;
    uint64_t region;
    auto operator<=>(const RegionKey&) const = default;
};

struct Counts {
    Counts(const TraceFacts& facts, uint64_t size) : activity(facts), region_size(size) {}

    std::map<RowKey, Row> rows;
    ActivityCounter activity;
    uint64_t region_size;
    std::map<RegionKey, RegionRow> regions;
    uint64_t uncredited_bytes = 0;
};

class Counting : public TaskVisitor {
public:
    Counting(const TraceIndex& index, const ProcessTables& tables, Counts& counts)
        : TaskVisitor(index, tables), counts_(counts), rows_(counts.rows) {}

    using TaskVisitor::operator();

    void operator()(const trace::ObjectOpened& record, const trace::Rest&) {
        if (Usage* usage = usage_of(record.number)) ++usage->opens;
    }

    void operator()(const trace::Touch& record, const trace::Rest&) {
        if (Usage* usage = usage_of(record.object)) ++usage->touches;
    }

    void operator()(const trace::Access& record, const trace::Rest& rest) {
        Usage* usage = usage_of(record.object);
        if (usage == nullptr || (record.prefix.flags & trace::kAccessFailed) != 0) return;
        const bool writes = (record.prefix.flags & trace::kAccessWrite) != 0;
        (writes ? usage->writes : usage->reads) += 1;
        (writes ? usage->selected_written : usage->selected_read) += record.bytes;
        usage->access_time += record.duration;
        count_external(record, rest);
    }

    void operator()(const trace::Derived& record, const trace::Rest&) {
        const uint32_t source = index_.source_of(tables_, record);
        if (source == kNobody || (record.prefix.flags & trace::kDerivedFailed) != 0) return;
        Usage& usage = rows_[{task_, index_.facts.objects[source].file, source}].usage;
        const bool writes = (record.prefix.flags & trace::kDerivedWrite) != 0;
        (writes ? usage.derived_written : usage.derived_read) +=
            record.elements * record.element_size;
    }

    void operator()(const trace::Io& record, const trace::Rest&) {
        const Credit credit = credit_of(index_, tables_, record);
        if (credit.file == kNobody) return;
        if ((record.prefix.flags & trace::kIoFailed) != 0) {
            ++rows_[{task_, credit.file, credit.object()}].usage.ios;
            return;
        }
        const bool is_raw = record.memory == kRawData;
        const bool writes = (record.prefix.flags & trace::kIoWrite) != 0;
        each_part(index_, credit, record, [&](uint32_t object, uint64_t begin, uint64_t end) {
            const uint64_t size = end - begin;
            if (object == kNobody) counts_.uncredited_bytes += size;
            Row& row = rows_[{task_, credit.file, object == kFileItself ? kNobody : object}];
            (writes ? row.usage.moved_written : row.usage.moved_read) += size;
            if (!is_raw) row.usage.metadata_bytes += size;
            if (!is_raw && writes) row.usage.metadata_written += size;
            row.bytes.add(begin, end);
            if (counts_.region_size > 0) count_regions(object, credit.file, begin, end, record);
        });
        count_activity(tables_.realtime(record.start),
                       tables_.realtime(record.start + record.duration),
                       {0, writes ? 0 : record.size, writes ? record.size : 0, 1});
        // The call itself counts once, for the object with the largest part.
        Usage& usage = rows_[{task_, credit.file, credit.object()}].usage;
        if (credit.differs()) usage.credited_otherwise += record.size;
        ++usage.ios;
        if (!is_raw) ++usage.metadata_ios;
        usage.io_time += record.duration;
        usage.write_ios += writes ? 1 : 0;
        usage.write_time += writes ? record.duration : 0;
        count_pattern(usage, positions_[record.storage], record);
    }

    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        const uint32_t file = tables_.other_file_of(record.number);
        if (file == kNobody || tables_.opens_as_hdf5(file)) return;
        Usage& usage = rows_[{task_, file, kNobody}].usage;
        ++usage.opens;
        usage.other_read += record.read;
        usage.other_written += record.written;
        count_activity(tables_.realtime(record.opened), tables_.realtime(record.last),
                       {0, record.read, record.written, 0});
    }

private:
    void count_activity(uint64_t begin, uint64_t end, const Activity::Amount& amount) {
        counts_.activity.add(task_, begin, end, amount);
    }

    void count_regions(uint32_t object, uint32_t file, uint64_t begin, uint64_t end,
                       const trace::Io& record) {
        // What a damaged trace may tell of has no end.
        constexpr size_t kMostRegions = 1'000'000;
        const bool writes = (record.prefix.flags & trace::kIoWrite) != 0;
        const uint64_t size = counts_.region_size;
        const RowKey key{task_, file, object == kFileItself ? kNobody : object};
        for (uint64_t region = begin / size; begin < end; ++region) {
            const uint64_t part = std::min(end - begin, size - begin % size);
            if (counts_.regions.size() >= kMostRegions) return;
            RegionRow& row = counts_.regions[{key, region}];
            row = {key.task, file,        key.object,   region,
                   row.read, row.written, row.metadata, row.ios};
            (writes ? row.written : row.read) += part;
            if (record.memory != kRawData) row.metadata += part;
            ++row.ios;
            begin += part;
        }
    }

    static void count_pattern(Usage& usage, Position& position, const trace::Io& record) {
        const auto step = static_cast<int64_t>(record.address - position.begin);
        if (position.known && record.address == position.end) {
            ++usage.sequential;
        } else if (position.known && step == position.step) {
            ++usage.strided;
        }
        position = {record.address, record.address + record.size, step, true};
    }

    void count_external(const trace::Access& record, const trace::Rest& rest) {
        const uint32_t object = tables_.object_of(record.object);
        const auto external = index_.externals.find(object);
        if (external == index_.externals.end()) return;
        const auto selection = selection_in(record, rest);
        if (!selection) return;
        const bool writes = (record.prefix.flags & trace::kAccessWrite) != 0;
        const std::vector<uint64_t> bytes = external->second.data.bytes_in_parts(*selection);
        for (size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] == 0) continue;
            Usage& usage = rows_[{task_, external->second.files[i], object}].usage;
            (writes ? usage.derived_written : usage.derived_read) += bytes[i];
        }
    }

    Usage* usage_of(uint32_t number) {
        const uint32_t object = tables_.object_of(number);
        if (object == kNobody) return nullptr;
        return &rows_[{task_, index_.facts.objects[object].file, object}].usage;
    }

    Counts& counts_;
    std::map<RowKey, Row>& rows_;
    std::unordered_map<uint32_t, Position> positions_;
};

}  // namespace

Result<TraceFacts> facts_of_trace(const std::string& directory) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    return std::move(index->facts);
}

TraceSummary analyze::summarize(TraceIndex&& index, uint64_t region_size) {
    Counts counts(index.facts, region_size);
    for (const auto& tables : index.processes) tables->file->each(Counting(index, *tables, counts));
    TraceSummary summary;
    summary.activity = counts.activity.result();
    summary.region_size = region_size;
    for (const auto& [key, row] : counts.regions) summary.regions.push_back(row);
    for (auto& [key, row] : counts.rows) {
        row.usage.unique_bytes = row.bytes.count();
        summary.rows.push_back({key.task, key.file, key.object, row.usage});
    }
    summary.facts = std::move(index.facts);
    summary.facts.uncredited_bytes = counts.uncredited_bytes;
    return summary;
}

Result<TraceSummary> summarize_trace(const std::string& directory, uint64_t region_size) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    return analyze::summarize(std::move(*index), region_size);
}

}  // namespace quarry
