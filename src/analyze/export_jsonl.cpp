#include <nlohmann/json.hpp>

#include "analyze/export.hpp"

namespace quarry::analyze {
namespace {

using Json = nlohmann::ordered_json;

Json selection_json(const std::optional<Selection>& selection) {
    if (!selection) return nullptr;
    Json json;
    switch (selection->kind) {
        case Selection::Kind::All:
            return "all";
        case Selection::Kind::None:
            return "none";
        case Selection::Kind::Regular:
            for (const Steps& steps : selection->steps) {
                json["start"].push_back(steps.start);
                json["stride"].push_back(steps.stride);
                json["count"].push_back(steps.count);
                json["block"].push_back(steps.block);
            }
            return json.is_null() ? Json("all") : json;
        case Selection::Kind::Blocks:
            return {{"rank", selection->rank}, {"blocks", selection->corners}};
        case Selection::Kind::Points:
            return {{"rank", selection->rank}, {"points", selection->corners}};
    }
    return nullptr;
}

class Lines {
public:
    Lines(const TraceFacts& facts, std::FILE* out) : facts_(facts), out_(out) {}

    void operator()(const Event& event) const {
        Json json{{"event", name_of(event.kind)}, {"time", event.time},
                  {"duration", event.duration},   {"process", event.process},
                  {"thread", event.thread},       {"task", task(event.task)}};
        switch (event.kind) {
            case EventKind::Task:
            case EventKind::FileClosed:
                break;
            case EventKind::FileOpened:
                json.update({{"name", event.name},
                             {"file", file(event.file)},
                             {"writable", event.writes},
                             {"created", event.created},
                             {"failed", event.failed}});
                break;
            case EventKind::Opened:
            case EventKind::Closed:
                json.update({{"file", file(event.file)},
                             {"object", object(event.object)},
                             {"created", event.created}});
                break;
            case EventKind::Read:
            case EventKind::Write:
                json.update({{"file", file(event.file)},
                             {"object", object(event.object)},
                             {"operation", event.operation},
                             {"elements", event.elements},
                             {"bytes", event.bytes},
                             {"selection", selection_json(event.selection)},
                             {"chunk", event.chunk},
                             {"failed", event.failed}});
                break;
            case EventKind::Touch:
                json.update({{"file", file(event.file)},
                             {"object", object(event.object)},
                             {"what", event.what},
                             {"writes", event.writes},
                             {"name", event.name},
                             {"bytes", event.bytes}});
                break;
            case EventKind::Io:
                json.update({{"file", file(event.file)},
                             {"direction", event.writes ? "write" : "read"},
                             {"address", event.address},
                             {"size", event.bytes},
                             {"kind", event.what},
                             {"operation", event.operation},
                             {"object", object(event.object)},
                             {"object_by_address", object(event.object_by_address)},
                             {"object_by_operation", object(event.object_by_operation)},
                             {"failed", event.failed}});
                for (const Event::Part& part : event.parts)
                    json["parts"].push_back(
                        {{"object", object(part.object)}, {"bytes", part.bytes}});
                break;
            case EventKind::OtherFile:
                json.update({{"file", file(event.file)},
                             {"writable", event.writes},
                             {"created", event.created},
                             {"mapped", event.mapped},
                             {"bytes_read", event.bytes},
                             {"bytes_written", event.bytes_written},
                             {"reads", event.reads},
                             {"writes", event.writes_made}});
                break;
            case EventKind::Derived:
                json.update({{"file", file(event.file)},
                             {"object", object(event.object)},
                             {"operation", event.operation},
                             {"what", event.what},
                             {"writes", event.writes},
                             {"elements", event.elements},
                             {"bytes", event.bytes},
                             {"selection", selection_json(event.selection)},
                             {"linear", event.linear},
                             {"at_most", event.at_most},
                             {"failed", event.failed}});
                break;
            case EventKind::Unseen:
                json.update({{"program", event.name}, {"why", event.what}});
                break;
        }
        // Names in HDF5 files need not be UTF-8.
        const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        std::fwrite(line.data(), 1, line.size(), out_);
    }

private:
    Json task(uint32_t number) const {
        return number != kNobody ? Json(facts_.tasks[number].name) : Json();
    }
    Json file(uint32_t number) const {
        return number != kNobody ? Json(facts_.files[number].path) : Json();
    }
    Json object(uint32_t number) const {
        return number != kNobody ? Json(facts_.objects[number].path) : Json();
    }

    const TraceFacts& facts_;
    std::FILE* out_;
};

}  // namespace

void write_jsonl(const TraceIndex& index, std::FILE* out, const Progress& progress) {
    each_event(index, progress, Lines(index.facts, out));
}

}  // namespace quarry::analyze
