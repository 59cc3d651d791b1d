#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <quarry/carve.hpp>
#include <quarry/units.hpp>

#include "carve_flags.hpp"
#include "fates.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

struct Sum {
    size_t kept = 0;
    size_t partly = 0;
    size_t left_out = 0;
    uint64_t bytes_left_out = 0;
};

Sum sum_of(const FileFate& file) {
    Sum sum;
    for (const DatasetFate& dataset : file.datasets) {
        (dataset.remains == Remains::Kept     ? sum.kept
         : dataset.remains == Remains::Partly ? sum.partly
                                              : sum.left_out) += 1;
        sum.bytes_left_out += left_out(dataset);
    }
    return sum;
}

class CarveVerb : public Verb {
public:
    std::string_view name() const override { return "carve"; }
    std::string_view summary() const override {
        return "Copy the input files of a trace, with only the data that was used";
    }
    std::string_view usage() const override { return "-o DIR [options] [TRACE...]"; }
    std::string_view examples() const override {
        return "  quarry carve -o small                    the inputs of ./quarry-trace\n"
               "  quarry carve -o small flow --dry-run     how much would be kept; with --json, "
               "why\n"
               "  quarry carve -o small flow --keep '/forecast/*' --task analyse\n"
               "\nA dataset that nobody read is there still, with its attributes, but refuses to "
               "be "
               "read.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("traces", traces_, "directories of traces")->type_name("TRACE");
        app.add_option("-o,--output", directory_, "where the copies go")
            ->type_name("DIR")
            ->required();
        flags_.declare(app);
        app.add_flag("--no-verify", trusts_, "do not compare each copy with its original");
        app.add_flag("--checksums", checksums_,
                     "take a checksum of each whole original, for `quarry run --paranoid`");
        app.add_flag("--dry-run", dry_run_, "only say what would be done");
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        ProgressLine line;
        const auto inputs = flags_.inputs(traces_, line);
        if (!inputs) return failed(line, inputs.error());
        CarveOptions options = flags_.options();
        options.directory = directory_;
        options.verifies = !trusts_;
        options.checksums = checksums_;
        options.verifying = line.showing("verifying");
        const auto fates = dry_run_ ? plan_carving(*inputs, options)
                                    : carve(*inputs, options, line.showing("carving"));
        if (!fates) return failed(line, fates.error());
        line.clear();
        json_ ? fmt::print("{}", fates_json(*fates)) : print(*fates);
        flags_.say_what_is_idle(*fates);
        say_what_was_opened_for_writing(*fates);
        const bool is_all = std::all_of(fates->begin(), fates->end(),
                                        [](const FileFate& file) { return file.problem.empty(); });
        return is_all ? kSuccess : kFoundProblems;
    }

private:
    static void say_what_was_opened_for_writing(const std::vector<FileFate>& files) {
        std::vector<std::string> paths;
        for (const FileFate& file : files)
            if (!file.copy.empty() && file.input.was_opened_for_writing)
                paths.push_back(file.input.path);
        if (paths.empty()) return;
        say(
            fmt::format("{} {} opened for writing, though only read: on carved data that takes "
                        "`quarry run --writes copy`.",
                        printable(fmt::format("{}", fmt::join(paths, ", "))),
                        paths.size() == 1 ? "was" : "were"));
    }

    void print(const std::vector<FileFate>& files) const {
        Table table({{"file", Table::Align::Left},
                     {"kept"},
                     {"in part"},
                     {"left out"},
                     {"size"},
                     {dry_run_ ? "saved" : "carved"}});
        for (const FileFate& file : files) {
            if (file.copy.empty() || !file.problem.empty()) continue;
            const Sum sum = sum_of(file);
            table.add({file.input.path, std::to_string(sum.kept), std::to_string(sum.partly),
                       std::to_string(sum.left_out), bytes_text(file.size_before),
                       bytes_text(dry_run_ ? sum.bytes_left_out : file.size_after)});
        }
        const bool is_any_carved = std::any_of(
            files.begin(), files.end(), [](const FileFate& file) { return !file.copy.empty(); });
        if (is_any_carved) fmt::print("{}", table.text(Style::of_output()));
        for (const FileFate& file : files) {
            const std::string& why = file.problem.empty() ? file.why_whole : file.problem;
            if (!why.empty())
                fmt::print("{}: {}: {}.\n", file.problem.empty() ? "Copied whole" : "Not carved",
                           printable(file.input.path), printable(why));
        }
        if (!dry_run_ && is_any_carved)
            fmt::print("The copies are in {}, under the paths of their originals.\n",
                       printable(directory_));
        else
            fmt::print("Nothing has been written.{}\n", dry_run_ ? "" : way_without(files));
    }

    // Who carves asked for all of them.
    static std::string way_without(const std::vector<FileFate>& files) {
        const auto others = std::count_if(
            files.begin(), files.end(), [](const FileFate& file) { return file.problem.empty(); });
        if (others == 0) return "";
        if (others == 1) return " The other input could be carved: --file chooses it.";
        return fmt::format(" The other {} inputs could be carved: --file chooses them.", others);
    }

    std::vector<std::string> traces_{"quarry-trace"};
    std::string directory_;
    CarveFlags flags_;
    bool trusts_ = false;
    bool checksums_ = false;
    bool dry_run_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_carve_verb() {
    return std::make_unique<CarveVerb>();
}

}  // namespace quarry::cli
