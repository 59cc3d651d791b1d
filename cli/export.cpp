#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <quarry/report.hpp>

#include "option_values.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

const std::map<std::string, TextFormat> kFormats{
    {"jsonl", TextFormat::Jsonl}, {"csv", TextFormat::Csv}, {"chrome", TextFormat::Chrome}};
const std::map<std::string, GraphFormat> kGraphs{{"json", GraphFormat::Json},
                                                 {"dot", GraphFormat::Dot},
                                                 {"graphml", GraphFormat::GraphMl},
                                                 {"prov", GraphFormat::ProvJson},
                                                 {"ro-crate", GraphFormat::RoCrate}};

Progress shown_on(ProgressLine& line) {
    return [&line](uint64_t done, uint64_t all) {
        line.show(fmt::format("exporting: {} of {} records", done, all));
    };
}

class ExportVerb : public Verb {
public:
    std::string_view name() const override { return "export"; }
    std::string_view summary() const override {
        return "Write all that a trace holds in a format for other programs";
    }
    std::string_view usage() const override { return "[options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry export --format jsonl | jq 'select(.event == \"io\")'\n"
               "  quarry export flow --format chrome -o flow.json     then open it in "
               "https://ui.perfetto.dev\n"
               "  quarry export flow --format sqlite -o flow.db       then ask it with sqlite3\n"
               "  quarry export flow --format dot | dot -Tsvg -o flow.svg\n"
               "\nWhat is in each, and useful questions to the database: docs/formats/export.md.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_option(
               "--format", format_,
               "every event: jsonl, one JSON object a line (default); csv, one table; "
               "chrome, for Perfetto; sqlite, a database. The graph of tasks and data: "
               "json, dot, graphml; prov, as W3C PROV-JSON; ro-crate, as a Workflow Run RO-Crate")
            ->type_name("FORMAT")
            ->check(CLI::IsMember({"jsonl", "csv", "chrome", "sqlite", "json", "dot", "graphml",
                                   "prov", "ro-crate"}));
        app.add_option("--group-by", group_by_,
                       "put parts of a graph together: family, stage, host or window:SECONDS for "
                       "tasks; file, pattern or directory for data")
            ->type_name("WHAT[,WHAT]");
        app.add_option("--regions", region_size_,
                       "add regions of files to a graph, of this size: 64K, 1M")
            ->type_name("SIZE")
            ->transform(as_size());
        app.add_option("-o,--output", output_, "write into this file instead of standard output")
            ->type_name("FILE");
    }

    int execute(const Command&) override {
        if (format_ == "sqlite") return export_database();
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
            output_.empty() ? nullptr : std::fopen(output_.c_str(), "wx"), std::fclose);
        std::FILE* out = output_.empty() ? stdout : file.get();
        if (out == nullptr) {
            say(fmt::format("{} cannot be written: {}. Nothing that exists is overwritten.",
                            output_, std::strerror(errno)));
            return kQuarryFailed;
        }
        ProgressLine line;
        line.show("reading " + trace_);
        const auto facts = write(out, line);
        line.clear();
        const bool written = std::fflush(out) == 0 && std::ferror(out) == 0;
        if (!facts) {
            if (!output_.empty()) std::remove(output_.c_str());
            say(facts.error().message);
            return kQuarryFailed;
        }
        if (!written) {
            say(fmt::format("not all could be written: {}.", std::strerror(errno)));
            return kQuarryFailed;
        }
        for (const std::string& problem : facts->problems) say(problem);
        return kSuccess;
    }

private:
    Result<TraceFacts> write(std::FILE* out, ProgressLine& line) const {
        const auto graph = kGraphs.find(format_);
        if (graph == kGraphs.end())
            return export_text(trace_, kFormats.at(format_), out, shown_on(line));
        const auto grouping = group_by_.empty() ? Grouping{} : grouping_from_text(group_by_);
        if (!grouping) return Error{"--group-by: " + grouping.error().message + "."};
        auto flow = dataflow_of_trace(trace_, region_size_);
        if (!flow) return flow.error();
        const std::string text = graph_text(*flow, graph->second, *grouping);
        std::fwrite(text.data(), 1, text.size(), out);
        return std::move(flow->summary.facts);
    }

    int export_database() const {
        if (output_.empty()) {
            say("a database cannot be written to standard output: name a file with --output.");
            return kQuarryFailed;
        }
        ProgressLine line;
        line.show("reading " + trace_);
        const auto facts = export_sqlite(trace_, output_, shown_on(line));
        line.clear();
        if (!facts) return failed(facts.error());
        for (const std::string& problem : facts->problems) say(problem);
        return kSuccess;
    }

    std::string trace_ = "quarry-trace";
    std::string format_ = "jsonl";
    std::string output_;
    std::string group_by_;
    uint64_t region_size_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_export_verb() {
    return std::make_unique<ExportVerb>();
}

}  // namespace quarry::cli
