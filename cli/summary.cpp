#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <quarry/report.hpp>

#include <quarry/units.hpp>
#include "table.hpp"
#include "terminal.hpp"
#include "trace_json.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Align = Table::Align;

const std::map<std::string, UsageGrain> kGrains{
    {"task", UsageGrain::Task}, {"file", UsageGrain::File}, {"object", UsageGrain::Object}};

uint64_t moved(const UsageRow& row) {
    const Usage& usage = row.usage;
    return usage.moved_read + usage.moved_written + usage.other_read + usage.other_written;
}
uint64_t selected(const UsageRow& row) {
    const Usage& usage = row.usage;
    return usage.selected_read + usage.selected_written + usage.derived_read +
           usage.derived_written;
}

void put_what_matters_first(std::vector<UsageRow>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const UsageRow& left, const UsageRow& right) {
        return std::max(moved(left), selected(left)) > std::max(moved(right), selected(right));
    });
}

bool is_other(const Usage& usage) {
    return usage.ios == 0 && usage.touches == 0 && usage.reads == 0 && usage.writes == 0 &&
           usage.derived_read == 0 && usage.derived_written == 0;
}

std::string base(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

std::vector<Table::Column> columns(UsageGrain grain) {
    std::vector<Table::Column> all{{"task", Align::Left}};
    if (grain != UsageGrain::Task) all.push_back({"file", Align::Left});
    if (grain == UsageGrain::Object) all.push_back({"object", Align::Left});
    for (const char* title : {"opens", "reads", "writes", "selected", "moved", "unique", "ampl.",
                              "I/Os", "sequential", "strided", "random", "metadata", "time"}) {
        all.push_back({title, Align::Right});
    }
    return all;
}

std::vector<std::string> cells(const TraceFacts& facts, const UsageRow& row, UsageGrain grain) {
    const Usage& usage = row.usage;
    std::vector<std::string> all{row.task != kNobody ? facts.tasks[row.task].name : "?"};
    if (grain != UsageGrain::Task) all.push_back(base(facts.files[row.file].path));
    if (grain == UsageGrain::Object) {
        const bool has_path = row.object != kNobody && !facts.objects[row.object].path.empty();
        all.push_back(row.object == kNobody
                          ? (is_other(row.usage) ? "(without HDF5)" : "(the file itself)")
                      : has_path ? facts.objects[row.object].path
                                 : "(without a name)");
    }
    for (const std::string& cell :
         {std::to_string(usage.opens), std::to_string(usage.reads), std::to_string(usage.writes),
          bytes_text(selected(row)), bytes_text(moved(row)),
          is_other(usage) ? "-" : bytes_text(usage.unique_bytes),
          ratio_text(usage.moved_read + usage.moved_written, selected(row)),
          std::to_string(usage.ios), share_text(usage.sequential, usage.ios),
          share_text(usage.strided, usage.ios),
          share_text(usage.ios - usage.sequential - usage.strided, usage.ios),
          share_text(usage.metadata_ios, usage.ios),
          is_other(usage) ? "-" : time_text(usage.io_time)}) {
        all.push_back(cell);
    }
    return all;
}

std::string headline(const TraceFacts& facts) {
    const auto counted = [](size_t count, const char* one, const char* many) {
        return fmt::format("{} {}", count, count == 1 ? one : many);
    };
    return fmt::format("{}: {}, {}, {}, {}, {} records", facts.directory,
                       counted(facts.tasks.size(), "task", "tasks"),
                       counted(facts.processes.size(), "process", "processes"),
                       counted(facts.files.size(), "file", "files"),
                       counted(facts.objects.size(), "object", "objects"), facts.records);
}

std::string remarks(const TraceFacts& facts) {
    std::string text;
    for (const std::string& sentence : reservations_of(facts)) text += printable(sentence) + "\n";
    return text;
}

class SummaryVerb : public Verb {
public:
    std::string_view name() const override { return "summary"; }
    std::string_view summary() const override { return "Tell what a trace says, in one table"; }
    std::string_view usage() const override { return "[options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry summary                       of ./quarry-trace, by object\n"
               "  quarry summary flow --by task        what each step of a workflow moved\n"
               "  quarry summary flow --json           everything, for programs\n"
               "\nselected: bytes that the program asked for. moved: bytes between HDF5 and the "
               "file.\nunique: different bytes among those. ampl.: moved / selected.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_option("--by", by_, "one row for each task, file or object (default)")
            ->type_name("WHAT")
            ->check(CLI::IsMember(kGrains));
        app.add_option("--top", top_, "show this many rows (default 30; 0 for all)")
            ->type_name("N");
        app.add_flag("--json", json_, "print JSON, with all rows");
    }

    int execute(const Command&) override {
        ProgressLine line;
        line.show("reading " + trace_);
        const auto summary = summarize_trace(trace_);
        line.clear();
        if (!summary) return failed(summary.error());
        const UsageGrain grain = kGrains.at(by_);
        std::vector<UsageRow> rows = rows_by(*summary, grain);
        put_what_matters_first(rows);
        if (json_) {
            fmt::print("{}", summary_as_json(*summary, rows));
            return kSuccess;
        }
        print_table(summary->facts, rows, grain);
        return kSuccess;
    }

private:
    void print_table(const TraceFacts& facts, const std::vector<UsageRow>& rows,
                     UsageGrain grain) const {
        const Style style = Style::of_output();
        const size_t shown = top_ == 0 ? rows.size() : std::min(top_, rows.size());
        Table table(columns(grain));
        for (size_t i = 0; i < shown; ++i) table.add(cells(facts, rows[i], grain));
        fmt::print("{}\n\n{}", headline(facts), table.text(style));
        if (shown < rows.size())
            fmt::print("{}\n", style.faint(fmt::format("... and {} more rows: --top 0 shows all",
                                                       rows.size() - shown)));
        const std::string more = remarks(facts);
        if (!more.empty()) fmt::print("\n{}", more);
    }

    std::string trace_ = "quarry-trace";
    std::string by_ = "object";
    size_t top_ = 30;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_summary_verb() {
    return std::make_unique<SummaryVerb>();
}

}  // namespace quarry::cli
