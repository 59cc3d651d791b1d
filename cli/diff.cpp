#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <quarry/diff.hpp>
#include <quarry/units.hpp>

#include "table.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

uint64_t moved(const Usage& usage) {
    return usage.moved_read + usage.moved_written + usage.other_read + usage.other_written;
}

Json usage_json(const std::optional<Usage>& usage) {
    if (!usage) return nullptr;
    return {{"opens", usage->opens},
            {"reads", usage->reads},
            {"writes", usage->writes},
            {"touches", usage->touches},
            {"bytes_selected", usage->selected_read + usage->selected_written},
            {"ios", usage->ios},
            {"metadata_ios", usage->metadata_ios},
            {"bytes_moved", moved(*usage)},
            {"io_nanoseconds", usage->io_time}};
}

Json findings_json(const std::vector<Finding>& findings) {
    Json json = Json::array();
    for (const Finding& finding : findings)
        json.push_back({{"id", finding.id},
                        {"severity", name_of(finding.severity)},
                        {"sentence", finding.sentence}});
    return json;
}

std::string change(const Difference& row, auto number) {
    const auto text = [&](const std::optional<Usage>& usage) {
        return usage ? number(*usage) : std::string("-");
    };
    const std::string before = text(row.before);
    const std::string after = text(row.after);
    return before == after ? before : before + " > " + after;
}

class DiffVerb : public Verb {
public:
    std::string_view name() const override { return "diff"; }
    std::string_view summary() const override { return "Tell what changed between two traces"; }
    std::string_view usage() const override { return "[options] BEFORE AFTER"; }
    std::string_view examples() const override {
        return "  quarry diff flow-monday flow-tuesday\n"
               "  quarry diff old new --json | jq '.appeared'";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("before", before_, "directory of a trace")->type_name("BEFORE")->required();
        app.add_option("after", after_, "directory of another")->type_name("AFTER")->required();
        app.add_option("--top", top_, "show so many rows; 0 for all (default: 30)")->type_name("N");
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        ProgressLine line;
        line.show("comparing " + before_ + " and " + after_);
        const auto diff = diff_traces(before_, after_);
        line.clear();
        if (!diff) return failed(diff.error());
        json_ ? print_json(*diff) : print_text(*diff);
        return kSuccess;
    }

private:
    void print_text(const TraceDiff& diff) const {
        const Style style = Style::of_output();
        if (diff.rows.empty() && diff.appeared.empty() && diff.vanished.empty()) {
            fmt::print("{} and {} tell the same.\n", before_, after_);
            return;
        }
        using Align = Table::Align;
        Table table({{"task", Align::Left},
                     {"file", Align::Left},
                     {"object", Align::Left},
                     {"calls", Align::Right},
                     {"I/Os", Align::Right},
                     {"moved", Align::Right},
                     {"time", Align::Right}});
        const size_t shown = top_ > 0 ? std::min(top_, diff.rows.size()) : diff.rows.size();
        for (size_t i = 0; i < shown; ++i) {
            const Difference& row = diff.rows[i];
            table.add({row.task, row.file, row.object,
                       change(row,
                              [](const Usage& usage) {
                                  return std::to_string(usage.reads + usage.writes);
                              }),
                       change(row, [](const Usage& usage) { return std::to_string(usage.ios); }),
                       change(row, [](const Usage& usage) { return bytes_text(moved(usage)); }),
                       change(row, [](const Usage& usage) { return time_text(usage.io_time); })});
        }
        if (shown > 0) fmt::print("{}", table.text(style));
        if (shown < diff.rows.size())
            fmt::print("{} more: `--top 0` shows all.\n", diff.rows.size() - shown);
        print_findings("New findings", diff.appeared, style);
        print_findings("Findings that are gone", diff.vanished, style);
    }

    static void print_findings(const char* title, const std::vector<Finding>& findings,
                               const Style& style) {
        if (findings.empty()) return;
        fmt::print("\n{}\n", style.strong(title));
        for (const Finding& finding : findings)
            fmt::print("  {}: {}\n", finding.id, printable(finding.sentence));
    }

    static void print_json(const TraceDiff& diff) {
        Json json{{"rows", Json::array()},
                  {"appeared", findings_json(diff.appeared)},
                  {"vanished", findings_json(diff.vanished)}};
        for (const Difference& row : diff.rows)
            json["rows"].push_back({{"task", row.task},
                                    {"file", row.file},
                                    {"object", row.object},
                                    {"before", usage_json(row.before)},
                                    {"after", usage_json(row.after)}});
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    }

    std::string before_;
    std::string after_;
    size_t top_ = 30;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_diff_verb() {
    return std::make_unique<DiffVerb>();
}

}  // namespace quarry::cli
