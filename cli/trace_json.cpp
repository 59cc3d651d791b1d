#include "trace_json.hpp"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

Json object_json(const TraceFacts& facts, const ObjectFacts& object) {
    Json json{{"file", facts.files[object.file].path},
              {"path", object.path},
              {"kind", name_of(object.kind)}};
    if (Json::accept(object.description)) json["dataset"] = Json::parse(object.description);
    return json;
}

Json facts_json(const TraceFacts& facts) {
    Json json{{"trace", facts.directory},
              {"records", facts.records},
              {"lost_records", facts.lost_records}};
    for (const TaskFacts& task : facts.tasks) {
        json["tasks"].push_back({{"name", task.name},
                                 {"begin", task.begin},
                                 {"end", task.end},
                                 {"processes", task.processes}});
    }
    for (const ProcessFacts& process : facts.processes) {
        json["processes"].push_back({{"host", process.host},
                                     {"pid", process.pid},
                                     {"parent", process.parent_pid},
                                     {"rank", process.rank},
                                     {"command", process.command},
                                     {"directory", process.directory},
                                     {"started", process.started},
                                     {"begin", process.begin},
                                     {"end", process.end},
                                     {"held_up_nanoseconds", process.held_up},
                                     {"ended", process.ended},
                                     {"incomplete", process.incomplete}});
    }
    for (const FileFacts& file : facts.files) {
        json["files"].push_back({{"path", file.path},
                                 {"device", file.device},
                                 {"inode", file.inode},
                                 {"size", file.size},
                                 {"driver", file.driver}});
    }
    for (const ObjectFacts& object : facts.objects)
        json["objects"].push_back(object_json(facts, object));
    json["unseen_programs"] = facts.unseen;
    json["problems"] = facts.problems;
    return json;
}

Json row_json(const TraceFacts& facts, const UsageRow& row) {
    Json json;
    if (row.task != kNobody) json["task"] = facts.tasks[row.task].name;
    if (row.file != kNobody) json["file"] = facts.files[row.file].path;
    if (row.object != kNobody) json["object"] = facts.objects[row.object].path;
    const Usage& usage = row.usage;
    json.update({{"opens", usage.opens},
                 {"reads", usage.reads},
                 {"writes", usage.writes},
                 {"touches", usage.touches},
                 {"bytes_selected_read", usage.selected_read},
                 {"bytes_selected_written", usage.selected_written},
                 {"bytes_read", usage.moved_read},
                 {"bytes_written", usage.moved_written},
                 {"unique_bytes", usage.unique_bytes},
                 {"ios", usage.ios},
                 {"metadata_ios", usage.metadata_ios},
                 {"metadata_bytes", usage.metadata_bytes},
                 {"sequential_ios", usage.sequential},
                 {"strided_ios", usage.strided},
                 {"bytes_derived_read", usage.derived_read},
                 {"bytes_derived_written", usage.derived_written},
                 {"bytes_read_without_hdf5", usage.other_read},
                 {"bytes_written_without_hdf5", usage.other_written},
                 {"io_nanoseconds", usage.io_time},
                 {"access_nanoseconds", usage.access_time},
                 {"bytes_credited_by_address_against_operation", usage.credited_otherwise}});
    return json;
}

// Names in HDF5 files need not be UTF-8.
std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string facts_as_json(const TraceFacts& facts) {
    return dumped(facts_json(facts));
}

std::string summary_as_json(const TraceSummary& summary, const std::vector<UsageRow>& rows) {
    Json json = facts_json(summary.facts);
    json["uncredited_bytes"] = summary.facts.uncredited_bytes;
    json["usage"] = Json::array();
    for (const UsageRow& row : rows) json["usage"].push_back(row_json(summary.facts, row));
    return dumped(json);
}

}  // namespace quarry::cli
