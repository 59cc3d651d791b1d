#include <array>
#include <nlohmann/json.hpp>
#include <quarry/trace.hpp>

#include "analyze/credit.hpp"
#include "model/selection.hpp"

namespace quarry {
namespace {

using namespace analyze;
using Json = nlohmann::ordered_json;

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

Json selection_json(const trace::Access& record, const trace::Rest& rest) {
    const auto* first = reinterpret_cast<const char*>(record.selection.data());
    const std::string bytes = rest.after({first, record.selection.size()}, record.selection_size);
    const auto selection = decode_selection(std::as_bytes(std::span(bytes)));
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

// One line for each thing that happened, in the order of each process's file.
class Lines {
public:
    Lines(const TraceIndex& index, const ProcessTables& tables, std::FILE* out)
        : index_(index), tables_(tables), out_(out) {}

    void operator()(const trace::Task& record, const trace::Rest&) {
        task_ = tables_.text(record.name);
        put(event("task", record.prefix, record.time));
    }
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        Json json = event("file opened", record.prefix, record.start, record.duration);
        json["name"] = tables_.text(record.name);
        put_file(json, tables_.file_of(record.storage));
        json["writable"] = (record.prefix.flags & trace::kFileWritable) != 0;
        json["created"] = (record.prefix.flags & trace::kFileCreated) != 0;
        json["failed"] = (record.prefix.flags & trace::kFileFailed) != 0;
        put(json);
    }
    void operator()(const trace::FileClosed& record, const trace::Rest&) {
        put(event("file closed", record.prefix, record.start, record.duration));
    }
    void operator()(const trace::ObjectOpened& record, const trace::Rest&) {
        Json json = event("opened", record.prefix, record.start, record.duration);
        put_object(json, tables_.object_of(record.number));
        json["created"] = (record.prefix.flags & trace::kObjectCreated) != 0;
        put(json);
    }
    void operator()(const trace::ObjectClosed& record, const trace::Rest&) {
        Json json = event("closed", record.prefix, record.start, record.duration);
        put_object(json, tables_.object_of(record.number));
        put(json);
    }
    void operator()(const trace::Access& record, const trace::Rest& rest) {
        const bool writes = (record.prefix.flags & trace::kAccessWrite) != 0;
        Json json = event(writes ? "write" : "read", record.prefix, record.start, record.duration);
        put_object(json, tables_.object_of(record.object));
        json["operation"] = record.operation;
        json["elements"] = record.elements;
        json["bytes"] = record.bytes;
        json["selection"] = selection_json(record, rest);
        json["chunk"] = (record.prefix.flags & trace::kAccessChunk) != 0;
        json["failed"] = (record.prefix.flags & trace::kAccessFailed) != 0;
        put(json);
    }
    void operator()(const trace::Touch& record, const trace::Rest&) {
        Json json = event("touch", record.prefix, record.start, record.duration);
        put_object(json, tables_.object_of(record.object));
        json["what"] = touched_name(record.what);
        json["writes"] = (record.prefix.flags & trace::kTouchWrite) != 0;
        json["name"] = tables_.text(record.name);
        json["bytes"] = record.bytes;
        put(json);
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        const Credit credit = credit_of(index_, tables_, record);
        Json json = event("io", record.prefix, record.start, record.duration);
        put_file(json, credit.file);
        json["direction"] = (record.prefix.flags & trace::kIoWrite) != 0 ? "write" : "read";
        json["address"] = record.address;
        json["size"] = record.size;
        json["kind"] = memory_name(record.memory);
        json["operation"] = record.operation;
        put_path(json, "object", credit.object());
        put_path(json, "object_by_address", credit.by_address);
        put_path(json, "object_by_operation", credit.by_operation);
        json["failed"] = (record.prefix.flags & trace::kIoFailed) != 0;
        put(json);
    }

private:
    Json event(const char* name, const trace::Prefix& prefix, uint64_t start,
               uint64_t duration = 0) const {
        return {
            {"event", name},           {"time", start + static_cast<uint64_t>(tables_.to_realtime)},
            {"duration", duration},    {"process", tables_.process},
            {"thread", prefix.thread}, {"task", task_}};
    }
    void put_path(Json& json, const char* key, uint32_t object) const {
        json[key] = object != kNobody ? Json(index_.facts.objects[object].path) : Json();
    }
    void put_file(Json& json, uint32_t file) const {
        json["file"] = file != kNobody ? Json(index_.facts.files[file].path) : Json();
    }
    void put_object(Json& json, uint32_t object) const {
        put_file(json, object != kNobody ? index_.facts.objects[object].file : kNobody);
        put_path(json, "object", object);
    }
    // Names in HDF5 files need not be UTF-8.
    void put(const Json& json) const {
        const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        std::fwrite(line.data(), 1, line.size(), out_);
    }

    const TraceIndex& index_;
    const ProcessTables& tables_;
    std::FILE* out_;
    std::string task_;
};

}  // namespace

Result<TraceFacts> export_jsonl(const std::string& directory, std::FILE* out) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    for (const auto& tables : index->processes) tables->file->each(Lines(*index, *tables, out));
    return std::move(index->facts);
}

}  // namespace quarry
