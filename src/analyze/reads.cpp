#include <filesystem>
#include <map>
#include <quarry/inputs.hpp>
#include <set>

#include "analyze/recorded_selection.hpp"
#include "analyze/trace_index.hpp"

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

}  // namespace

Result<std::vector<RecordedRead>> reads_of_trace(const std::string& directory,
                                                 const std::string& file) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    std::set<uint32_t> files;
    std::error_code error;
    for (uint32_t i = 0; i < index->facts.files.size(); ++i)
        if (fs::equivalent(index->facts.files[i].path, file, error)) files.insert(i);
    std::map<uint32_t, ReadObject> objects;
    for (const auto& tables : index->processes)
        tables->file->each(Reading(*index, *tables, files, objects));
    std::vector<RecordedRead> reads;
    for (const auto& [number, object] : objects)
        for (const std::string& selection : object.selections)
            reads.push_back(
                {{object.token, index->facts.objects[number].path, true, {}, {}}, selection});
    return reads;
}

}  // namespace quarry
