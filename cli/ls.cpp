#include <fmt/chrono.h>
#include <fmt/format.h>

#include <quarry/trace.hpp>

#include <quarry/units.hpp>
#include "terminal.hpp"
#include "trace_json.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

std::string moment(uint64_t nanoseconds) {
    const auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
    return fmt::format("{:%F %T}", fmt::localtime(seconds));
}

void print_tasks(const TraceFacts& facts, const Style& style) {
    fmt::print("{}\n", style.strong("Tasks"));
    for (const TaskFacts& task : facts.tasks) {
        fmt::print("  {}  {}, {}\n", printable(task.name), moment(task.begin),
                   time_text(task.end - task.begin));
        for (const uint32_t number : task.processes) {
            const ProcessFacts& process = facts.processes[number];
            const std::string rank = process.rank >= 0 ? fmt::format(" rank {}", process.rank) : "";
            fmt::print("{}\n", style.faint(fmt::format(
                                   "    {} on {}{}: {}", process.pid, process.host, rank,
                                   printable(fmt::format("{}", fmt::join(process.command, " "))))));
        }
    }
}

void print_files(const TraceFacts& facts, const Style& style) {
    fmt::print("\n{}\n", style.strong("Files and objects"));
    for (uint32_t file = 0; file < facts.files.size(); ++file) {
        fmt::print("  {}  {}{}\n", printable(facts.files[file].path),
                   bytes_text(facts.files[file].size),
                   facts.files[file].driver.empty() ? style.faint("  (without HDF5)") : "");
        for (const ObjectFacts& object : facts.objects) {
            if (object.file != file) continue;
            const std::string path = object.path.empty() ? "(without a name)" : object.path;
            fmt::print("    {}{}\n", printable(path),
                       object.description.empty()
                           ? ""
                           : "  " + style.faint(printable(object.description)));
        }
    }
}

class LsVerb : public Verb {
public:
    std::string_view name() const override { return "ls"; }
    std::string_view summary() const override {
        return "List the tasks, files and objects in a trace";
    }
    std::string_view usage() const override { return "[options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry ls                 of ./quarry-trace\n"
               "  quarry ls flow --json     for programs";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_flag("--json", json_, "print JSON");
    }

    int execute(const Command&) override {
        const auto facts = facts_of_trace(trace_);
        if (!facts) return failed(facts.error());
        if (json_) {
            fmt::print("{}", facts_as_json(*facts));
            return kSuccess;
        }
        const Style style = Style::of_output();
        print_tasks(*facts, style);
        print_files(*facts, style);
        for (const std::string& problem : facts->problems) fmt::print("\n{}\n", problem);
        return kSuccess;
    }

private:
    std::string trace_ = "quarry-trace";
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_ls_verb() {
    return std::make_unique<LsVerb>();
}

}  // namespace quarry::cli
