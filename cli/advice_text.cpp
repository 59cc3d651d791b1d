#include "advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <quarry/units.hpp>

#include "table.hpp"

namespace quarry::cli {
namespace {

std::string seconds_text(double seconds) {
    return time_text(static_cast<uint64_t>(seconds * 1e9));
}

std::string saving_text(const Saving& saving) {
    std::vector<std::string> parts;
    if (saving.operations > 0)
        parts.push_back(fmt::format("{} {}", saving.operations,
                                    saving.operations == 1 ? "request" : "requests"));
    if (saving.bytes > 0) parts.push_back(bytes_text(saving.bytes));
    if (saving.seconds >= 1e-6) parts.push_back("about " + seconds_text(saving.seconds));
    return parts.empty() ? "nothing that could be counted"
                         : fmt::format("{}", fmt::join(parts, ", "));
}

// Those that moved most.
std::string task_table(const TraceSummary& summary, const Style& style) {
    constexpr size_t kMost = 12;
    std::vector<UsageRow> rows = rows_by(summary, UsageGrain::Task);
    std::erase_if(rows, [](const UsageRow& row) { return row.task == kNobody; });
    const auto moved = [](const UsageRow& row) {
        return row.usage.moved_read + row.usage.moved_written + row.usage.other_read +
               row.usage.other_written;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const UsageRow& left, const UsageRow& right) {
        return moved(left) > moved(right);
    });
    using Align = Table::Align;
    Table table({{"task", Align::Left},
                 {"ran for"},
                 {"read"},
                 {"written"},
                 {"requests"},
                 {"of metadata"},
                 {"I/O time"}});
    for (size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
        const Usage& usage = rows[i].usage;
        const TaskFacts& task = summary.facts.tasks[rows[i].task];
        table.add({task.name, time_text(task.end - task.begin),
                   bytes_text(usage.moved_read + usage.other_read),
                   bytes_text(usage.moved_written + usage.other_written), std::to_string(usage.ios),
                   share_text(usage.metadata_ios, usage.ios), time_text(usage.io_time)});
    }
    std::string text = table.text(style);
    if (rows.size() > kMost)
        text += style.faint(fmt::format("... and {} more tasks: `quarry summary --by task`\n",
                                        rows.size() - kMost));
    return text;
}

}  // namespace

std::string findings_text(const Advice& advice, size_t most, const Style& style) {
    const TraceFacts& facts = advice.flow.summary.facts;
    const size_t count = advice.findings.size();
    if (count == 0) return fmt::format("{}: nothing to mend was found.\n", facts.directory);
    std::string text = fmt::format("{}: {} {}; what saves most comes first.\n", facts.directory,
                                   count, count == 1 ? "finding" : "findings");
    const size_t shown = most > 0 ? std::min(most, count) : count;
    for (size_t i = 0; i < shown; ++i) {
        const Finding& finding = advice.findings[i];
        const std::string severity = name_of(finding.severity);
        text += fmt::format(
            "\n{} {}\n   {}\n   {} {}\n   {} {}\n",
            style.strong(fmt::format("{}. {}", i + 1, finding.id)),
            finding.severity == Severity::High ? style.bad(severity) : style.faint(severity),
            printable(finding.sentence), style.faint("saves"), saving_text(finding.saving),
            style.faint("fix  "), printable(finding.fix));
    }
    if (shown < count)
        text += fmt::format("\n{} more: `quarry advise --top 0` shows all.\n", count - shown);
    return text;
}

std::string overview_text(const Advice& advice, const Style& style) {
    constexpr size_t kFindings = 3;
    const TraceFacts& facts = advice.flow.summary.facts;
    std::string text;
    for (const std::string& sentence : overview_of(advice)) text += printable(sentence) + "\n";
    text += "\n" + task_table(advice.flow.summary, style);
    if (!advice.findings.empty()) text += "\n" + findings_text(advice, kFindings, style);
    const auto reservations = reservations_of(facts);
    if (!reservations.empty()) text += '\n';
    for (const std::string& sentence : reservations) text += printable(sentence) + "\n";
    return text;
}

}  // namespace quarry::cli
