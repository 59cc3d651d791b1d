// What happened, one thing after another, with names in place of a trace's numbers: what every
// export is made from.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analyze/trace_index.hpp"
#include "model/selection.hpp"

namespace quarry::analyze {

enum class EventKind {
    Task,
    FileOpened,
    FileClosed,
    Opened,
    Closed,
    Read,
    Write,
    Touch,
    Io,
    OtherFile,
    Unseen,
    Derived,
};
const char* name_of(EventKind kind);

// Numbers are places in TraceFacts; kNobody where there is none. Fields that a kind has no use for
// stay as they are here.
struct Event {
    EventKind kind = EventKind::Task;
    uint64_t time = 0;  // nanoseconds since 1970
    uint64_t duration = 0;
    uint32_t process = kNobody;
    uint16_t thread = 0;
    uint32_t task = kNobody;
    uint32_t operation = 0;
    uint32_t file = kNobody;
    uint32_t object = kNobody;
    uint32_t object_by_address = kNobody;
    uint32_t object_by_operation = kNobody;
    std::string name;       // as the program gave it; of an attribute, a link, a program
    const char* what = "";  // was touched, or kind of an I/O's memory
    bool writes = false;
    bool created = false;
    bool failed = false;
    bool chunk = false;    // past the filters
    bool mapped = false;   // into memory
    bool linear = false;   // the selection is of elements in the order in which they are stored
    bool at_most = false;  // which part of the object it was is not known
    uint64_t address = 0;
    uint64_t bytes = 0;  // moved, selected or read
    uint64_t bytes_written = 0;
    uint64_t elements = 0;
    uint32_t reads = 0;  // calls
    uint32_t writes_made = 0;
    std::optional<Selection> selection;
    // Of an I/O that moved metadata of several objects; kNobody for the file itself.
    struct Part {
        uint32_t object;
        uint64_t bytes;
    };
    std::vector<Part> parts;
};

// Process by process, each in the order of its file.
void each_event(const TraceIndex& index, const Progress& progress,
                const std::function<void(const Event&)>& give);

}  // namespace quarry::analyze
