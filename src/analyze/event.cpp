#include "analyze/event.hpp"

#include <array>

#include "analyze/credit.hpp"
#include "analyze/recorded_selection.hpp"

namespace quarry::analyze {
namespace {

const char* memory_name(uint8_t memory) {
    constexpr std::array names{"mixed",       "superblock", "b-tree",       "raw",
                               "global heap", "local heap", "object header"};
    return memory < names.size() ? names[memory] : "mixed";
}

const char* touched_name(uint8_t what) {
    constexpr std::array names{"attribute",   "attribute list", "link",  "link list",
                               "information", "flush",          "extent"};
    return what < names.size() ? names[what] : "other";
}

const char* unseen_reason(uint8_t reason) {
    constexpr std::array names{"it is linked statically", "it runs with other rights",
                               "it was started with another environment"};
    return reason < names.size() ? names[reason] : "unknown";
}

uint32_t known_or_nobody(uint32_t object) {
    return object != kFileItself ? object : kNobody;
}

class Events {
public:
    Events(const TraceIndex& index, const ProcessTables& tables,
           const std::function<void(const Event&)>& give)
        : index_(index), tables_(tables), give_(give), task_(index.first_task_of(tables)) {}

    void operator()(const trace::Task& record, const trace::Rest&) {
        task_ = index_.task_named(tables_.text(record.name));
        give_(event(EventKind::Task, record.prefix, record.time));
    }
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        Event made = event(EventKind::FileOpened, record.prefix, record.start, record.duration);
        made.name = tables_.text(record.name);
        made.file = tables_.file_of(record.storage);
        made.operation = record.operation;
        made.writes = (record.prefix.flags & trace::kFileWritable) != 0;
        made.created = (record.prefix.flags & trace::kFileCreated) != 0;
        made.failed = (record.prefix.flags & trace::kFileFailed) != 0;
        give_(made);
    }
    void operator()(const trace::FileClosed& record, const trace::Rest&) {
        Event made = event(EventKind::FileClosed, record.prefix, record.start, record.duration);
        made.operation = record.operation;
        give_(made);
    }
    void operator()(const trace::ObjectOpened& record, const trace::Rest&) {
        Event made = event(EventKind::Opened, record.prefix, record.start, record.duration);
        put_object(made, record.number);
        made.operation = record.operation;
        made.created = (record.prefix.flags & trace::kObjectCreated) != 0;
        give_(made);
    }
    void operator()(const trace::ObjectClosed& record, const trace::Rest&) {
        Event made = event(EventKind::Closed, record.prefix, record.start, record.duration);
        put_object(made, record.number);
        made.operation = record.operation;
        give_(made);
    }
    void operator()(const trace::Access& record, const trace::Rest& rest) {
        const bool writes = (record.prefix.flags & trace::kAccessWrite) != 0;
        Event made = event(writes ? EventKind::Write : EventKind::Read, record.prefix, record.start,
                           record.duration);
        put_object(made, record.object);
        made.operation = record.operation;
        made.writes = writes;
        made.elements = record.elements;
        made.bytes = record.bytes;
        made.selection = selection_in(record, rest);
        made.chunk = (record.prefix.flags & trace::kAccessChunk) != 0;
        made.failed = (record.prefix.flags & trace::kAccessFailed) != 0;
        give_(made);
        give_external(made);
    }
    void operator()(const trace::Derived& record, const trace::Rest& rest) {
        Event made = event(EventKind::Derived, record.prefix, record.time);
        made.object = index_.source_of(tables_, record);
        if (made.object == kNobody) return;
        made.file = index_.facts.objects[made.object].file;
        made.operation = record.operation;
        made.writes = (record.prefix.flags & trace::kDerivedWrite) != 0;
        made.failed = (record.prefix.flags & trace::kDerivedFailed) != 0;
        made.linear = (record.prefix.flags & trace::kDerivedLinear) != 0;
        made.at_most = (record.prefix.flags & trace::kDerivedAtMost) != 0;
        made.elements = record.elements;
        made.bytes = record.elements * record.element_size;
        made.selection = selection_in(record, rest);
        made.what = "source of a virtual dataset";
        give_(made);
    }
    void operator()(const trace::Touch& record, const trace::Rest&) {
        Event made = event(EventKind::Touch, record.prefix, record.start, record.duration);
        put_object(made, record.object);
        made.operation = record.operation;
        made.what = touched_name(record.what);
        made.writes = (record.prefix.flags & trace::kTouchWrite) != 0;
        made.name = tables_.text(record.name);
        made.bytes = record.bytes;
        give_(made);
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        const Credit credit = credit_of(index_, tables_, record);
        Event made = event(EventKind::Io, record.prefix, record.start, record.duration);
        made.file = credit.file;
        made.object = credit.object();
        made.object_by_address = known_or_nobody(credit.by_address);
        made.object_by_operation = credit.by_operation;
        made.operation = record.operation;
        made.what = memory_name(record.memory);
        made.writes = (record.prefix.flags & trace::kIoWrite) != 0;
        made.failed = (record.prefix.flags & trace::kIoFailed) != 0;
        made.address = record.address;
        made.bytes = record.size;
        if (credit.is_shared)
            each_part(index_, credit, record, [&](uint32_t object, uint64_t begin, uint64_t end) {
                made.parts.push_back({known_or_nobody(object), end - begin});
            });
        give_(made);
    }
    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        const uint32_t file = tables_.other_file_of(record.number);
        if (file == kNobody || tables_.opens_as_hdf5(file)) return;
        Event made =
            event(EventKind::OtherFile, record.prefix, record.opened, record.last - record.opened);
        made.file = file;
        made.bytes = record.read;
        made.bytes_written = record.written;
        made.reads = record.reads;
        made.writes_made = record.writes;
        made.writes = (record.flags & trace::kUseWrites) != 0;
        made.created = (record.flags & trace::kUseCreated) != 0;
        made.mapped = (record.flags & trace::kUseMapped) != 0;
        give_(made);
    }
    void operator()(const trace::Unseen& record, const trace::Rest&) {
        Event made = event(EventKind::Unseen, record.prefix, record.time);
        made.name = tables_.text(record.program);
        made.what = unseen_reason(record.prefix.flags);
        give_(made);
    }

private:
    Event event(EventKind kind, const trace::Prefix& prefix, uint64_t start,
                uint64_t duration = 0) const {
        Event made;
        made.kind = kind;
        made.time = tables_.realtime(start);
        made.duration = duration;
        made.process = tables_.process;
        made.thread = prefix.thread;
        made.task = task_;
        return made;
    }
    void give_external(const Event& access) const {
        const auto external = index_.externals.find(access.object);
        if (external == index_.externals.end() || !access.selection) return;
        const auto& [data, files] = external->second;
        const std::vector<uint64_t> bytes = data.bytes_in_parts(*access.selection);
        for (size_t i = 0; i < files.size(); ++i) {
            if (bytes[i] == 0) continue;
            Event made = access;
            made.kind = EventKind::Derived;
            made.duration = 0;
            made.file = files[i];
            made.bytes = bytes[i];
            made.what = "external data";
            give_(made);
        }
    }
    void put_object(Event& made, uint32_t number) const {
        made.object = tables_.object_of(number);
        if (made.object != kNobody) made.file = index_.facts.objects[made.object].file;
    }

    const TraceIndex& index_;
    const ProcessTables& tables_;
    const std::function<void(const Event&)>& give_;
    uint32_t task_;
};

}  // namespace

const char* name_of(EventKind kind) {
    constexpr std::array names{"task",   "file opened", "file closed", "opened",
                               "closed", "read",        "write",       "touch",
                               "io",     "other file",  "unseen",      "derived"};
    return names[static_cast<size_t>(kind)];
}

void each_event(const TraceIndex& index, const Progress& progress,
                const std::function<void(const Event&)>& give) {
    constexpr uint64_t kNowAndThen = 100'000;
    uint64_t done = 0;
    const std::function<void(const Event&)> counted = [&](const Event& event) {
        if (++done % kNowAndThen == 0 && progress) progress(done, index.facts.records);
        give(event);
    };
    for (const auto& tables : index.processes) tables->file->each(Events(index, *tables, counted));
}

}  // namespace quarry::analyze
