#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/export.hpp"

namespace quarry::analyze {
namespace {

using Json = nlohmann::ordered_json;

// Viewers count in microseconds and in small integers: both begin with the trace.
class Slices {
public:
    Slices(const TraceFacts& facts, std::FILE* out) : facts_(facts), out_(out) {
        begin_ = ~uint64_t{0};
        for (const ProcessFacts& process : facts.processes)
            begin_ = std::min(begin_, process.begin);
        std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out_);
        for (uint32_t i = 0; i < facts.processes.size(); ++i) name_process(i);
    }
    ~Slices() { std::fputs("\n]}\n", out_); }
    Slices(const Slices&) = delete;
    Slices& operator=(const Slices&) = delete;

    void add(const Event& event) {
        Json arguments;
        if (event.task != kNobody) arguments["task"] = facts_.tasks[event.task].name;
        if (event.file != kNobody) arguments["file"] = facts_.files[event.file].path;
        if (event.object != kNobody) arguments["object"] = facts_.objects[event.object].path;
        if (event.operation != 0) arguments["operation"] = event.operation;
        if (event.kind == EventKind::Io) arguments["address"] = event.address;
        if (event.bytes != 0) arguments["bytes"] = event.bytes;
        if (event.bytes_written != 0) arguments["bytes_written"] = event.bytes_written;
        if (event.selection) arguments["selection"] = to_string(*event.selection);
        if (event.failed) arguments["failed"] = true;
        const bool lasts = event.kind != EventKind::Task && event.kind != EventKind::Unseen &&
                           event.kind != EventKind::Derived;
        Json json{{"name", title(event)},    {"cat", name_of(event.kind)},
                  {"ph", lasts ? "X" : "i"}, {"ts", microseconds(event.time - begin_)},
                  {"pid", event.process},    {"tid", event.thread},
                  {"args", arguments}};
        if (lasts) {
            json["dur"] = microseconds(event.duration);
        } else {
            json["s"] = "p";  // seen in all of the process
        }
        put(json);
    }

private:
    static double microseconds(uint64_t nanoseconds) {
        return static_cast<double>(nanoseconds) / 1000;
    }
    std::string title(const Event& event) const {
        if (event.kind == EventKind::Task && event.task != kNobody)
            return facts_.tasks[event.task].name;
        if (event.kind == EventKind::Io)
            return std::string(event.writes ? "write " : "read ") + event.what;
        const std::string what = event.kind == EventKind::Touch ? event.what : name_of(event.kind);
        if (event.object != kNobody) return what + " " + facts_.objects[event.object].path;
        if (event.file != kNobody) return what + " " + facts_.files[event.file].path;
        return event.name.empty() ? what : what + " " + event.name;
    }
    void name_process(uint32_t number) {
        const ProcessFacts& process = facts_.processes[number];
        std::string name = std::to_string(process.pid) + " on " + process.host + ":";
        for (const std::string& word : process.command) name += " " + word;
        put({{"name", "process_name"}, {"ph", "M"}, {"pid", number}, {"args", {{"name", name}}}});
    }
    void put(const Json& json) {
        const std::string line =
            (first_ ? "\n" : ",\n") + json.dump(-1, ' ', false, Json::error_handler_t::replace);
        first_ = false;
        std::fwrite(line.data(), 1, line.size(), out_);
    }

    const TraceFacts& facts_;
    std::FILE* out_;
    uint64_t begin_ = 0;
    bool first_ = true;
};

}  // namespace

void write_chrome(const TraceIndex& index, std::FILE* out, const Progress& progress) {
    Slices slices(index.facts, out);
    each_event(index, progress, [&](const Event& event) { slices.add(event); });
}

}  // namespace quarry::analyze
