#include <map>
#include <quarry/trace.hpp>
#include <tuple>

namespace quarry {

const char* name_of(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::Group:
            return "group";
        case ObjectKind::Dataset:
            return "dataset";
        case ObjectKind::NamedType:
            return "named type";
        case ObjectKind::Unknown:
            break;
    }
    return "unknown";
}

Usage& Usage::operator+=(const Usage& other) {
    opens += other.opens;
    reads += other.reads;
    writes += other.writes;
    touches += other.touches;
    selected_read += other.selected_read;
    selected_written += other.selected_written;
    ios += other.ios;
    metadata_ios += other.metadata_ios;
    moved_read += other.moved_read;
    moved_written += other.moved_written;
    metadata_bytes += other.metadata_bytes;
    unique_bytes += other.unique_bytes;
    sequential += other.sequential;
    strided += other.strided;
    io_time += other.io_time;
    write_ios += other.write_ios;
    write_time += other.write_time;
    metadata_written += other.metadata_written;
    access_time += other.access_time;
    derived_read += other.derived_read;
    derived_written += other.derived_written;
    other_read += other.other_read;
    other_written += other.other_written;
    credited_otherwise += other.credited_otherwise;
    return *this;
}

std::vector<UsageRow> rows_by(const TraceSummary& summary, UsageGrain grain) {
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, UsageRow> grouped;
    for (const UsageRow& row : summary.rows) {
        const uint32_t file = grain == UsageGrain::Task ? kNobody : row.file;
        const uint32_t object = grain == UsageGrain::Object ? row.object : kNobody;
        UsageRow& sum = grouped[{row.task, file, object}];
        sum.task = row.task;
        sum.file = file;
        sum.object = object;
        sum.usage += row.usage;
    }
    std::vector<UsageRow> rows;
    for (const auto& [key, row] : grouped) rows.push_back(row);
    return rows;
}

}  // namespace quarry
