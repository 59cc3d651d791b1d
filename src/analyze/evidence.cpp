#include "analyze/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace quarry::analyze {

Evidence::Evidence(const Dataflow& flow_, const std::map<MeasureKey, Measure>& measures_,
                   const Thresholds& thresholds)
    : flow(flow_), measures(measures_), limit(thresholds) {
    for (const ObjectFacts& object : facts().objects)
        datasets_.push_back(object.kind == ObjectKind::Dataset
                                ? describe_dataset(object.description)
                                : std::nullopt);
    uint64_t ios = 0;
    uint64_t bytes = 0;
    uint64_t time = 0;
    for (const UsageRow& row : flow.summary.rows) {
        ios += row.usage.ios;
        bytes += row.usage.moved_read + row.usage.moved_written;
        time += row.usage.io_time;
    }
    // Half of the time for the asking, half for the moving: more the trace does not tell.
    const double seconds = static_cast<double>(time) * 1e-9;
    if (ios > 0) seconds_per_io_ = seconds / 2 / static_cast<double>(ios);
    if (bytes > 0) seconds_per_byte_ = seconds / 2 / static_cast<double>(bytes);
}

const Measure* Evidence::measured(uint32_t task, uint32_t object) const {
    const auto found = measures.find({task, object});
    return found != measures.end() ? &found->second : nullptr;
}

std::span<const DataUse> Evidence::uses_of(uint32_t object) const {
    const auto range = std::ranges::equal_range(flow.uses, object, {}, &DataUse::object);
    return {range.begin(), range.end()};
}

Saving Evidence::saving(uint64_t operations, uint64_t bytes) const {
    return {operations, bytes,
            static_cast<double>(operations) * seconds_per_io_ +
                static_cast<double>(bytes) * seconds_per_byte_};
}

std::string Evidence::name(uint32_t object) const {
    const ObjectFacts& facts_of = facts().objects[object];
    return fmt::format("{} in {}", facts_of.path, base_name(path_of(facts_of.file)));
}

std::string Evidence::quoted_file(uint32_t object) const {
    return shell_quoted(path_of(facts().objects[object].file));
}

std::string Evidence::quoted_path(uint32_t object) const {
    return shell_quoted(facts().objects[object].path);
}

Finding about(const Evidence& evidence, uint32_t object, std::vector<uint32_t> tasks) {
    Finding finding;
    finding.file = evidence.facts().objects[object].file;
    finding.objects = {object};
    finding.tasks = std::move(tasks);
    return finding;
}

}  // namespace quarry::analyze
