#include "analyze/access_history.hpp"

#include <span>

#include "analyze/dataset_description.hpp"
#include "analyze/task_visitor.hpp"

namespace quarry::analyze {
namespace {

class HistoryCollector : public TaskVisitor {
public:
    HistoryCollector(const TraceIndex& index, const ProcessTables& tables, History& history)
        : TaskVisitor(index, tables), history_(history) {}

    using TaskVisitor::operator();

    void operator()(const trace::Object& record, const trace::Rest&) {
        if (record.description == trace::kNone) return;
        const uint32_t object = tables_.object_of(record.number);
        if (object == kNobody) return;
        const auto dataset = describe_dataset(tables_.text(record.description));
        if (!dataset) return;
        DatasetHistory& history = history_.datasets[object];
        history.element_size = dataset->element_size;
        history.shapes.push_back({tables_.realtime(record.time), dataset->shape});
    }

    void operator()(const trace::ObjectOpened& record, const trace::Rest&) {
        const bool created = (record.prefix.flags & trace::kObjectCreated) != 0;
        add_metadata(record.number, record.start, created, 0);
    }

    void operator()(const trace::Touch& record, const trace::Rest&) {
        const bool writes = (record.prefix.flags & trace::kTouchWrite) != 0;
        if (record.what == static_cast<uint8_t>(trace::Touched::Flush)) return;
        add_metadata(record.object, record.start, writes, record.bytes);
    }

    void operator()(const trace::Access& record, const trace::Rest& rest) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || (record.prefix.flags & trace::kAccessFailed) != 0) return;
        const bool writes = (record.prefix.flags & trace::kAccessWrite) != 0;
        add_access(object, record, rest, record.start, record.elements, writes, false);
    }

    void operator()(const trace::Derived& record, const trace::Rest& rest) {
        const uint32_t source = index_.source_of(tables_, record);
        constexpr auto kUseless = trace::kDerivedFailed | trace::kDerivedAtMost;
        if (source == kNobody || (record.prefix.flags & kUseless) != 0) return;
        add_access(source, record, rest, record.time, record.elements,
                   (record.prefix.flags & trace::kDerivedWrite) != 0,
                   (record.prefix.flags & trace::kDerivedLinear) != 0);
        DatasetHistory& history = history_.datasets[source];
        if (history.element_size == 0) history.element_size = record.element_size;
    }

    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        const uint32_t file = tables_.other_file_of(record.number);
        if (file == kNobody || tables_.opens_as_hdf5(file) || task_ == kNobody) return;
        const bool created = (record.flags & trace::kUseCreated) != 0;
        history_.without_hdf5[file].push_back(
            {tables_.realtime(record.opened), task_, record.written, record.read,
             record.written > 0 || created, record.read > 0, created});
    }

private:
    template <typename Record>
    void add_access(uint32_t object, const Record& record, const trace::Rest& rest, uint64_t time,
                    uint64_t elements, bool writes, bool is_linear) {
        if (task_ == kNobody) return;
        DatasetHistory& history = history_.datasets[object];
        const auto* first = reinterpret_cast<const char*>(record.selection.data());
        const std::string bytes =
            rest.after({first, record.selection.size()}, record.selection_size);
        const size_t at = history.selections.size();
        const auto stored = std::as_bytes(std::span(bytes));
        history.selections.insert(history.selections.end(), stored.begin(), stored.end());
        history.accesses.push_back({tables_.realtime(time), elements, task_, at,
                                    static_cast<uint32_t>(stored.size()), writes, is_linear});
    }

    void add_metadata(uint32_t number, uint64_t time, bool writes, uint64_t bytes) {
        const uint32_t object = tables_.object_of(number);
        if (object == kNobody || task_ == kNobody) return;
        std::vector<PlainAccess>& all = history_.metadata[object];
        // Programs open the same object again and again.
        if (!all.empty() && all.back().task == task_ && all.back().writes == writes) {
            all.back().read += writes ? 0 : bytes;
            return;
        }
        all.push_back(
            {tables_.realtime(time), task_, 0, writes ? 0 : bytes, writes, !writes, false});
    }

    History& history_;
};

}  // namespace

History history_of(const TraceIndex& index) {
    History history;
    for (const auto& tables : index.processes)
        tables->file->each(HistoryCollector(index, *tables, history));
    return history;
}

}  // namespace quarry::analyze
