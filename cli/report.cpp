#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <quarry/report.hpp>

#include "advice_text.hpp"
#include "option_values.hpp"
#include "terminal.hpp"
#include "thresholds_file.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

// A report takes the place of an older one, and of nothing else.
bool may_be_replaced(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return true;
    std::string head(1000, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<size_t>(file.gcount()));
    return head.empty() || head.find("<title>Quarry report</title>") != std::string::npos;
}

// Under its name only when it is whole.
std::string write_file(const std::string& path, const std::string& text) {
    const std::string unfinished = path + ".unfinished";
    {
        std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
        file << text;
        file.close();
        if (file.fail()) {
            const std::string why = std::strerror(errno);
            std::error_code ignored;
            std::filesystem::remove(unfinished, ignored);
            return why;
        }
    }
    std::error_code error;
    std::filesystem::rename(unfinished, path, error);
    return error ? error.message() : "";
}

class ReportVerb : public Verb {
public:
    std::string_view name() const override { return "report"; }
    std::string_view summary() const override {
        return "Write a page about a trace: graph, timeline, findings, what was read";
    }
    std::string_view usage() const override { return "[options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry report                              of ./quarry-trace, as report.html\n"
               "  quarry report flow -o flow.html            then open it in a browser\n"
               "  quarry report flow --group-by family,file  begins with less detail\n"
               "  quarry report flow --text                  the overview, in the terminal\n"
               "\nThe page needs no network and no other file.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_option("-o,--output", output_, "the page (default: report.html)")
            ->type_name("FILE");
        app.add_option("--group-by", group_by_,
                       "what the graph begins with: family, stage, host or window:SECONDS for "
                       "tasks; file, pattern or directory for data")
            ->type_name("WHAT[,WHAT]");
        app.add_option("--regions", region_size_, "show regions of files, of this size: 64K, 1M")
            ->type_name("SIZE")
            ->transform(as_size());
        app.add_option("--thresholds", thresholds_, "a JSON file with other thresholds")
            ->type_name("FILE");
        app.add_flag("--text", text_, "print the overview instead");
        app.add_flag("--json", json_, "print what the page is made from instead");
    }

    int execute(const Command&) override {
        const auto grouping = group_by_.empty() ? Grouping{} : grouping_from_text(group_by_);
        if (!grouping) {
            say(fmt::format("--group-by: {}.", grouping.error().message));
            return kWrongUsage;
        }
        const auto thresholds = thresholds_from_file(thresholds_);
        if (!thresholds) return failed(thresholds.error());
        ProgressLine line;
        line.show("reading " + trace_);
        const auto advice = advise(trace_, *thresholds, region_size_);
        line.clear();
        if (!advice) return failed(advice.error());
        if (text_) {
            fmt::print("{}", overview_text(*advice, Style::of_output()));
            return kSuccess;
        }
        const std::string json = report_as_json(*advice, *grouping);
        if (json_) {
            fmt::print("{}", json);
            return kSuccess;
        }
        return write_page(report_as_page(json));
    }

private:
    int write_page(const std::string& page) const {
        if (!may_be_replaced(output_)) {
            say(
                fmt::format("{} is there already and is no report of Quarry, so it is left alone: "
                            "name another file with --output.",
                            output_));
            return kQuarryFailed;
        }
        const std::string why_not = write_file(output_, page);
        if (!why_not.empty()) {
            say(fmt::format("{} cannot be written: {}.", output_, why_not));
            return kQuarryFailed;
        }
        fmt::print("{}: open it in a browser.\n", output_);
        return kSuccess;
    }

    std::string trace_ = "quarry-trace";
    std::string output_ = "report.html";
    std::string group_by_;
    uint64_t region_size_ = 0;
    std::string thresholds_;
    bool text_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_report_verb() {
    return std::make_unique<ReportVerb>();
}

}  // namespace quarry::cli
