#include <fmt/format.h>

#include <algorithm>
#include <quarry/report.hpp>
#include <quarry/units.hpp>
#include <set>

namespace quarry {
namespace {

std::string counted(size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

Usage sum_of(const TraceSummary& summary) {
    Usage sum;
    for (const UsageRow& row : summary.rows) sum += row.usage;
    return sum;
}

std::string what_ran(const TraceSummary& summary) {
    const TraceFacts& facts = summary.facts;
    std::set<std::string> hosts;
    for (const ProcessFacts& process : facts.processes) hosts.insert(process.host);
    return fmt::format("{} in {} on {} ran for {} and used {} with {}.",
                       counted(facts.tasks.size(), "task", "tasks"),
                       counted(facts.processes.size(), "process", "processes"),
                       counted(hosts.size(), "machine", "machines"),
                       time_text(summary.activity.end - summary.activity.begin),
                       counted(facts.files.size(), "file", "files"),
                       counted(facts.objects.size(), "object", "objects"));
}

std::string what_moved(const Usage& sum) {
    const uint64_t read = sum.moved_read + sum.other_read;
    const uint64_t written = sum.moved_written + sum.other_written;
    if (read + written == 0) return "No data was moved.";
    std::string text =
        fmt::format("{} were read and {} written", bytes_text(read), bytes_text(written));
    if (sum.other_read + sum.other_written > 0)
        text += fmt::format(", {} of these without HDF5",
                            bytes_text(sum.other_read + sum.other_written));
    return text + ".";
}

std::string how_it_moved(const Usage& sum) {
    const uint64_t asked = sum.selected_read + sum.selected_written;
    const uint64_t moved = sum.moved_read + sum.moved_written;
    if (sum.ios == 0) return "HDF5 was not asked for anything.";
    return fmt::format(
        "Programs asked HDF5 for {}; it moved {} in {} requests, {} of them for metadata, which "
        "took {}.",
        bytes_text(asked), bytes_text(moved), sum.ios, share_text(sum.metadata_ios, sum.ios),
        time_text(sum.io_time));
}

// The task that moved most, where it is worth a word.
std::string who_moved_most(const TraceSummary& summary) {
    std::vector<UsageRow> tasks = rows_by(summary, UsageGrain::Task);
    std::erase_if(tasks, [](const UsageRow& row) { return row.task == kNobody; });
    if (tasks.size() < 2) return "";
    const auto moved = [](const UsageRow& row) {
        return row.usage.moved_read + row.usage.moved_written + row.usage.other_read +
               row.usage.other_written;
    };
    const auto most = std::max_element(
        tasks.begin(), tasks.end(),
        [&](const UsageRow& left, const UsageRow& right) { return moved(left) < moved(right); });
    uint64_t all = 0;
    for (const UsageRow& row : tasks) all += moved(row);
    if (all == 0) return "";
    return fmt::format("The task {} moved most: {} of everything.",
                       summary.facts.tasks[most->task].name, share_text(moved(*most), all));
}

std::string what_recording_took(const TraceFacts& facts) {
    uint64_t held_up = 0, ran = 0;
    for (const ProcessFacts& process : facts.processes) {
        held_up += process.held_up;
        ran += process.end - process.started;
    }
    // Of what ran for a moment only, the beginning of the trace itself would be most.
    constexpr uint64_t kWorthAShare = 10'000'000;
    const std::string share =
        ran < kWorthAShare
            ? ""
            : fmt::format(", {:.1f} % of the time they ran",
                          100.0 * static_cast<double>(held_up) / static_cast<double>(ran));
    return fmt::format(
        "Recording this held the programs up for about {}{}; {}.", time_text(held_up), share,
        facts.lost_records == 0 ? "no record is missing"
                                : fmt::format("at least {} are missing",
                                              counted(facts.lost_records, "record", "records")));
}

std::string what_is_found(const Advice& advice) {
    if (advice.findings.empty()) return "Nothing to mend was found.";
    const auto important =
        std::count_if(advice.findings.begin(), advice.findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::High; });
    return fmt::format("There {}, {} of high severity.",
                       advice.findings.size() == 1
                           ? "is one finding"
                           : fmt::format("are {} findings", advice.findings.size()),
                       important == 0 ? "none" : fmt::format("{}", important));
}

}  // namespace

std::vector<std::string> overview_of(const Advice& advice) {
    const TraceSummary& summary = advice.flow.summary;
    const Usage sum = sum_of(summary);
    std::vector<std::string> sentences{what_ran(summary),
                                       what_moved(sum),
                                       how_it_moved(sum),
                                       who_moved_most(summary),
                                       what_recording_took(summary.facts),
                                       what_is_found(advice)};
    std::erase(sentences, "");
    return sentences;
}

std::vector<std::string> reservations_of(const TraceFacts& facts) {
    std::vector<std::string> sentences;
    for (const ProcessFacts& process : facts.processes) {
        if (!process.incomplete.empty())
            sentences.push_back(
                fmt::format("Incomplete: process {} on {} was not recorded to its end: {}.",
                            process.pid, process.host, process.incomplete));
    }
    if (facts.uncredited_bytes > 0)
        sentences.push_back(fmt::format("{} that were moved could not be credited to an object.",
                                        bytes_text(facts.uncredited_bytes)));
    if (!facts.unseen.empty())
        sentences.push_back(
            fmt::format("What these programs did with files other than HDF5 could not be seen: {}.",
                        fmt::join(facts.unseen, ", ")));
    sentences.insert(sentences.end(), facts.problems.begin(), facts.problems.end());
    return sentences;
}

}  // namespace quarry
