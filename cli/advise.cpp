#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <quarry/advice.hpp>
#include <quarry/markup.hpp>
#include <quarry/units.hpp>

#include "advice_text.hpp"
#include "terminal.hpp"
#include "thresholds_file.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

// A rule, and from which severity on it counts.
struct Budget {
    std::string rule;  // "any" for all
    Severity least = Severity::Low;
};

const std::map<std::string, Severity> kSeverities{
    {"low", Severity::Low}, {"medium", Severity::Medium}, {"high", Severity::High}};

Json names(const std::vector<uint32_t>& numbers, const auto& all, auto name) {
    Json json = Json::array();
    for (const uint32_t number : numbers) json.push_back(name(all[number]));
    return json;
}

Json finding_json(const TraceFacts& facts, const Finding& finding) {
    const auto object = [&](const ObjectFacts& one) {
        return Json{{"file", facts.files[one.file].path}, {"path", one.path}};
    };
    return {{"id", finding.id},
            {"severity", name_of(finding.severity)},
            {"sentence", finding.sentence},
            {"fix", finding.fix},
            {"file", finding.file != kNobody ? Json(facts.files[finding.file].path) : Json()},
            {"objects", names(finding.objects, facts.objects, object)},
            {"tasks",
             names(finding.tasks, facts.tasks, [](const TaskFacts& task) { return task.name; })},
            {"saving",
             {{"operations", finding.saving.operations},
              {"bytes", finding.saving.bytes},
              {"seconds", finding.saving.seconds}}}};
}

class AdviseVerb : public Verb {
public:
    std::string_view name() const override { return "advise"; }
    std::string_view summary() const override {
        return "Say what is wasted, what it costs, and what to type to mend it";
    }
    std::string_view usage() const override { return "[options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry advise                                      the trace in ./quarry-trace\n"
               "  quarry advise flow --json\n"
               "  quarry advise flow --fail-on unused-dataset --fail-on any:high --junit "
               "advice.xml\n"
               "\nWhat is found, and when: docs/findings.md.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_option("--top", top_, "show so many findings; 0 for all (default: 10)")
            ->type_name("N");
        app.add_option("--fail-on", budgets_,
                       "exit with 1 if this was found: a rule, or any, and from which severity on")
            ->type_name("RULE[:low|medium|high]");
        app.add_option(
               "--max-amplification", amplification_,
               "exit with 1 if any dataset moves more than so many times what was asked for")
            ->type_name("RATIO");
        app.add_option("--thresholds", thresholds_, "a JSON file with other thresholds")
            ->type_name("FILE");
        app.add_flag("--show-thresholds", show_thresholds_, "print the thresholds, as such a file");
        app.add_option("--junit", junit_, "also write what failed as JUnit XML")->type_name("FILE");
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        const auto thresholds = thresholds_from_file(thresholds_);
        if (!thresholds) return failed(thresholds.error());
        if (show_thresholds_) {
            fmt::print("{}", thresholds_as_json(*thresholds));
            return kSuccess;
        }
        std::vector<Budget> budgets;
        for (const std::string& text : budgets_) {
            const auto budget = budget_from(text);
            if (!budget) {
                say(budget.error().message);
                return kWrongUsage;
            }
            budgets.push_back(*budget);
        }
        ProgressLine line;
        line.show("reading " + trace_);
        const auto advice = advise(trace_, *thresholds);
        line.clear();
        if (!advice) return failed(advice.error());
        print(*advice);
        for (const std::string& problem : advice->flow.summary.facts.problems) say(problem);
        return judge(*advice, budgets);
    }

private:
    static Result<Budget> budget_from(const std::string& text) {
        const size_t colon = text.find(':');
        Budget budget{text.substr(0, colon), Severity::Low};
        if (colon != text.npos) {
            const auto severity = kSeverities.find(text.substr(colon + 1));
            if (severity == kSeverities.end())
                return Error{fmt::format("--fail-on {}: a severity is low, medium or high.", text)};
            budget.least = severity->second;
        }
        if (budget.rule == "any") return budget;
        for (const Rule& rule : all_rules())
            if (budget.rule == rule.id) return budget;
        return Error{
            fmt::format("--fail-on {}: there is no such rule. docs/findings.md lists them; "
                        "`any` stands for all.",
                        text)};
    }

    void print(const Advice& advice) const {
        if (!json_) {
            fmt::print("{}", findings_text(advice, top_, Style::of_output()));
            return;
        }
        const TraceFacts& facts = advice.flow.summary.facts;
        Json json{{"trace", facts.directory}, {"findings", Json::array()}};
        for (const Finding& finding : advice.findings)
            json["findings"].push_back(finding_json(facts, finding));
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    }

    // What goes beyond a budget, by the name of the budget.
    std::vector<std::pair<std::string, std::string>> failures(
        const Advice& advice, const std::vector<Budget>& budgets) const {
        std::vector<std::pair<std::string, std::string>> all;
        for (const Finding& finding : advice.findings) {
            for (const Budget& budget : budgets) {
                const bool meant = budget.rule == "any" || budget.rule == finding.id;
                if (!meant || finding.severity < budget.least) continue;
                all.emplace_back(finding.id, finding.sentence);
                break;
            }
        }
        if (amplification_ <= 0) return all;
        const TraceFacts& facts = advice.flow.summary.facts;
        for (const UsageRow& row : advice.flow.summary.rows) {
            const uint64_t asked = row.usage.selected_read + row.usage.selected_written;
            const uint64_t moved = row.usage.moved_read + row.usage.moved_written;
            if (asked == 0 || row.object == kNobody ||
                static_cast<double>(moved) <= amplification_ * static_cast<double>(asked))
                continue;
            all.emplace_back(
                "max-amplification",
                fmt::format("{} in {}: {} moved for {}.", facts.objects[row.object].path,
                            facts.files[row.file].path, bytes_text(moved), bytes_text(asked)));
        }
        return all;
    }

    int judge(const Advice& advice, const std::vector<Budget>& budgets) const {
        const auto failed = failures(advice, budgets);
        if (!junit_.empty() &&
            !write_junit(failed, budgets.size() + (amplification_ > 0 ? 1 : 0))) {
            say(fmt::format("{} cannot be written.", junit_));
            return kQuarryFailed;
        }
        if (failed.empty()) return kSuccess;
        say(fmt::format("over budget: {} {}.", failed.size(),
                        failed.size() == 1 ? "finding" : "findings"));
        return kFoundProblems;
    }

    bool write_junit(const std::vector<std::pair<std::string, std::string>>& failed,
                     size_t budgets) const {
        std::ofstream file(junit_);
        const size_t tests = std::max(budgets, failed.size());
        file << fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"quarry advise\" tests=\"{}\" failures=\"{}\">\n",
            tests, failed.size());
        for (const auto& [rule, sentence] : failed)
            file << fmt::format(
                "  <testcase classname=\"quarry.advise\" name=\"{}\"><failure "
                "message=\"{}\"/></testcase>\n",
                in_xml(rule), in_xml(sentence));
        for (size_t i = failed.size(); i < tests; ++i)
            file << fmt::format("  <testcase classname=\"quarry.advise\" name=\"budget {}\"/>\n",
                                i + 1);
        file << "</testsuite>\n";
        file.close();
        return !file.fail();
    }

    std::string trace_ = "quarry-trace";
    size_t top_ = 10;
    std::vector<std::string> budgets_;
    double amplification_ = 0;
    std::string thresholds_;
    bool show_thresholds_ = false;
    std::string junit_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_advise_verb() {
    return std::make_unique<AdviseVerb>();
}

}  // namespace quarry::cli
