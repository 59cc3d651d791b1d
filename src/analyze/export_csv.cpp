#include "analyze/export.hpp"

namespace quarry::analyze {
namespace {

// Quoted where it must be, as RFC 4180 has it.
std::string field(const std::string& text) {
    if (text.find_first_of("\",\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char character : text) {
        if (character == '"') quoted += '"';
        quoted += character;
    }
    return quoted + '"';
}

std::string number(uint64_t value) {
    return std::to_string(value);
}

constexpr const char* kTitles =
    "event,time,duration,process,thread,task,operation,file,object,object_by_address,"
    "object_by_operation,name,what,writes,created,failed,address,bytes,bytes_written,elements,"
    "selection\n";

}  // namespace

void write_csv(const TraceIndex& index, std::FILE* out, const Progress& progress) {
    const TraceFacts& facts = index.facts;
    const auto object = [&](uint32_t at) {
        return at != kNobody ? field(facts.objects[at].path) : "";
    };
    std::fputs(kTitles, out);
    each_event(index, progress, [&](const Event& event) {
        const bool has_address = event.kind == EventKind::Io;
        const bool has_elements = event.selection.has_value();
        std::string line;
        for (const std::string& cell :
             {std::string(name_of(event.kind)),
              number(event.time),
              number(event.duration),
              number(event.process),
              number(event.thread),
              event.task != kNobody ? field(facts.tasks[event.task].name) : "",
              event.operation != 0 ? number(event.operation) : "",
              event.file != kNobody ? field(facts.files[event.file].path) : "",
              object(event.object),
              object(event.object_by_address),
              object(event.object_by_operation),
              field(event.name),
              field(event.what),
              number(event.writes),
              number(event.created),
              number(event.failed),
              has_address ? number(event.address) : "",
              number(event.bytes),
              number(event.bytes_written),
              has_elements ? number(event.elements) : "",
              has_elements ? field(to_string(*event.selection)) : ""}) {
            line += (line.empty() ? "" : ",") + cell;
        }
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), out);
    });
}

}  // namespace quarry::analyze
