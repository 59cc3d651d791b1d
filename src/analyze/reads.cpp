#include <filesystem>
#include <map>
#include <quarry/inputs.hpp>
#include <set>

#include "analyze/completeness.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/trace_index.hpp"
#include "base/text.hpp"

namespace quarry {
namespace {

using namespace analyze;
namespace fs = std::filesystem;

struct ReadObject {
    std::array<uint8_t, 16> token{};
    std::set<std::string> selections;
};

class Reading {
public:
    Reading(const TraceIndex& index, const ProcessTables& tables, const std::set<uint32_t>& files,
            std::map<uint32_t, ReadObject>& objects)
        : index_(index), tables_(tables), files_(files), objects_(objects) {}

    void operator()(const trace::Object& record, const trace::Rest&) {
        const uint32_t object = tables_.object_of(record.number);
        if (is_ours(object)) objects_[object].token = record.token;
    }
    void operator()(const trace::Access& record, const trace::Rest& rest) {
        constexpr auto kUseless = trace::kAccessFailed | trace::kAccessWrite;
        if ((record.prefix.flags & kUseless) == 0)
            add(tables_.object_of(record.object), record, rest);
    }
    void operator()(const trace::Derived& record, const trace::Rest& rest) {
        constexpr auto kUseless = trace::kDerivedFailed | trace::kDerivedWrite |
                                  trace::kDerivedAtMost | trace::kDerivedLinear;
        if ((record.prefix.flags & kUseless) == 0)
            add(index_.source_of(tables_, record), record, rest);
    }

private:
    bool is_ours(uint32_t object) const {
        return object != kNobody && files_.contains(index_.facts.objects[object].file);
    }
    void add(uint32_t object, const auto& record, const trace::Rest& rest) {
        if (is_ours(object)) objects_[object].selections.insert(encoded_selection_in(record, rest));
    }

    const TraceIndex& index_;
    const ProcessTables& tables_;
    const std::set<uint32_t>& files_;
    std::map<uint32_t, ReadObject>& objects_;
};

std::set<uint32_t> places_of(const std::string& file, const TraceFacts& facts) {
    std::set<uint32_t> places;
    std::error_code error;
    for (uint32_t i = 0; i < facts.files.size(); ++i)
        if (fs::equivalent(facts.files[i].path, file, error)) places.insert(i);
    return places;
}

void add_reads(const TraceIndex& index, const std::set<uint32_t>& files,
               std::vector<RecordedRead>& reads) {
    std::map<uint32_t, ReadObject> objects;
    for (const auto& tables : index.processes)
        tables->file->each(Reading(index, *tables, files, objects));
    for (const auto& [number, object] : objects)
        for (const std::string& selection : object.selections)
            reads.push_back(
                {{object.token, index.facts.objects[number].path, true, {}, {}}, selection});
}

Error was_not_opened(const std::string& file, const std::vector<std::string>& directories,
                     const std::set<std::string>& known) {
    constexpr size_t kMost = 3;
    std::vector<std::string> names(known.begin(), known.end());
    if (names.size() > kMost) {
        const size_t more = names.size() - kMost;
        names.resize(kMost);
        names.push_back(std::to_string(more) + " more");
    }
    return {file + " was not opened in " + enumerate(directories) +
            (names.empty() ? "" : ", but " + enumerate(names)) +
            ". The original must be at the path by which it was recorded."};
}

}  // namespace

Result<std::vector<RecordedRead>> reads_of_traces(const std::vector<std::string>& directories,
                                                  const std::string& file) {
    std::vector<RecordedRead> reads;
    std::set<std::string> others;
    bool is_known = false;
    for (const std::string& directory : directories) {
        const auto index = index_trace(directory);
        if (!index) return index.error();
        if (const auto error = why_reads_are_unknown(*index)) return *error;
        const std::set<uint32_t> files = places_of(file, index->facts);
        add_reads(*index, files, reads);
        is_known = is_known || !files.empty();
        for (const FileFacts& one : index->facts.files)
            if (!one.driver.empty()) others.insert(one.path);
    }
    std::error_code error;
    if (!is_known && !directories.empty() && fs::exists(file, error))
        return was_not_opened(file, directories, others);
    return reads;
}

}  // namespace quarry
