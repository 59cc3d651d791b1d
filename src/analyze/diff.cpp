#include <algorithm>
#include <map>
#include <quarry/diff.hpp>
#include <set>
#include <tuple>

#include "base/text.hpp"

namespace quarry {
namespace {

using RowName = std::tuple<std::string, std::string, std::string>;

std::map<RowName, Usage> by_name(const TraceSummary& summary) {
    const TraceFacts& facts = summary.facts;
    std::map<RowName, Usage> rows;
    for (const UsageRow& row : summary.rows) {
        const std::string task = row.task != kNobody ? facts.tasks[row.task].name : "";
        const std::string file = row.file != kNobody ? base_name(facts.files[row.file].path) : "";
        const std::string object = row.object != kNobody ? facts.objects[row.object].path : "";
        rows[{task, file, object}] += row.usage;
    }
    return rows;
}

// Times always differ.
bool is_same(const Usage& left, const Usage& right) {
    const auto counts = [](const Usage& usage) {
        return std::tuple(usage.opens, usage.reads, usage.writes, usage.touches,
                          usage.selected_read, usage.selected_written, usage.ios,
                          usage.metadata_ios, usage.moved_read, usage.moved_written,
                          usage.other_read, usage.other_written);
    };
    return counts(left) == counts(right);
}

uint64_t weight(const Difference& row) {
    const auto sum = [](const std::optional<Usage>& usage) {
        return usage ? usage->moved_read + usage->moved_written + usage->other_read +
                           usage->other_written
                     : 0;
    };
    const uint64_t before = sum(row.before);
    const uint64_t after = sum(row.after);
    return before > after ? before - after : after - before;
}

// A rule, and what it is about.
using FindingName = std::tuple<std::string, std::string, std::string, std::string>;

FindingName name_of_finding(const Advice& advice, const Finding& finding) {
    const TraceFacts& facts = advice.flow.summary.facts;
    return {finding.id, finding.tasks.empty() ? "" : facts.tasks[finding.tasks.front()].name,
            finding.file != kNobody ? base_name(facts.files[finding.file].path) : "",
            finding.objects.empty() ? "" : facts.objects[finding.objects.front()].path};
}

std::vector<Finding> only_in(const Advice& advice, const Advice& other) {
    std::set<FindingName> known;
    for (const Finding& finding : other.findings) known.insert(name_of_finding(other, finding));
    std::vector<Finding> found;
    for (const Finding& finding : advice.findings)
        if (!known.contains(name_of_finding(advice, finding))) found.push_back(finding);
    return found;
}

}  // namespace

Result<TraceDiff> diff_traces(const std::string& before, const std::string& after) {
    const auto old_advice = advise(before, {});
    if (!old_advice) return old_advice.error();
    const auto new_advice = advise(after, {});
    if (!new_advice) return new_advice.error();
    const auto old_rows = by_name(old_advice->flow.summary);
    const auto new_rows = by_name(new_advice->flow.summary);
    std::set<RowName> names;
    for (const auto& [name, usage] : old_rows) names.insert(name);
    for (const auto& [name, usage] : new_rows) names.insert(name);
    TraceDiff diff;
    for (const RowName& name : names) {
        const auto was = old_rows.find(name);
        const auto is = new_rows.find(name);
        Difference row{std::get<0>(name), std::get<1>(name), std::get<2>(name), {}, {}};
        if (was != old_rows.end()) row.before = was->second;
        if (is != new_rows.end()) row.after = is->second;
        if (!row.before || !row.after || !is_same(*row.before, *row.after))
            diff.rows.push_back(std::move(row));
    }
    std::stable_sort(diff.rows.begin(), diff.rows.end(),
                     [](const Difference& left, const Difference& right) {
                         return weight(left) > weight(right);
                     });
    diff.appeared = only_in(*new_advice, *old_advice);
    diff.vanished = only_in(*old_advice, *new_advice);
    return diff;
}

}  // namespace quarry
