#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <quarry/pack.hpp>

#include "option_values.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;
using Verdict = RepeatedOutput::Verdict;

const char* text_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::Same:
            return "same";
        case Verdict::SameButTimes:
            return "same but for times";
        case Verdict::Differs:
            return "differs";
        case Verdict::Missing:
            return "missing";
        case Verdict::NotCompared:
            break;
    }
    return "not compared";
}

// "app" of "/data/app.tar.zst".
std::string directory_for(const std::string& archive) {
    const std::string name = std::filesystem::path(archive).filename();
    const size_t dot = name.find('.', 1);
    return dot == std::string::npos ? name + ".unpacked" : name.substr(0, dot);
}

Json as_json(const Repetition& repetition) {
    const auto compared = std::count_if(
        repetition.outputs.begin(), repetition.outputs.end(), [](const RepeatedOutput& one) {
            return one.verdict != Verdict::NotCompared && one.verdict != Verdict::Missing;
        });
    const bool is_known = !repetition.problem.empty() ||
                          (!repetition.outputs.empty() && !repetition.compares_nothing());
    Json json{{"same", is_known ? Json(repetition.is_same()) : Json()},
              {"compared", compared},
              {"problem", repetition.problem},
              {"outputs", Json::array()}};
    for (const RepeatedOutput& output : repetition.outputs)
        json["outputs"].push_back(
            {{"path", output.path}, {"verdict", text_of(output.verdict)}, {"why", output.why}});
    return json;
}

class UnpackVerb : public Verb {
public:
    std::string_view name() const override { return "unpack"; }
    std::string_view summary() const override {
        return "Take apart an archive of `quarry pack`, and repeat the run in it";
    }
    std::string_view usage() const override { return "[options] FILE"; }
    std::string_view examples() const override {
        return "  quarry unpack app.tar.zst                into the new directory app\n"
               "  quarry unpack app.tar.zst -C /scratch/again --run\n"
               "                                           run its commands, compare what they "
               "make\n"
               "\n--run starts what the archive says: only use it on archives that you trust.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("archive", options_.archive, "what `quarry pack` has made")
            ->type_name("FILE")
            ->required();
        app.add_option("-C,--directory", options_.directory,
                       "the directory to make (default: the name of the archive)")
            ->type_name("DIR")
            ->check(not_empty());
        app.add_option("--max-size", options_.max_size,
                       "refuse an archive that holds more than this (default: 64G)")
            ->type_name("SIZE")
            ->transform(as_size());
        app.add_flag("--run", runs_, "run the commands again and compare what they make");
        app.add_flag("--overwrite", overwrites_, "also if files are there that they would make")
            ->needs("--run");
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        if (options_.directory.empty()) options_.directory = directory_for(options_.archive);
        ProgressLine line;
        const auto pack = unpack(options_, line.showing("unpacking"));
        line.clear();
        if (!pack) return failed(pack.error());
        if (runs_) return run(*pack);
        if (json_)
            print({{"directory", options_.directory}, {"files", pack->files.size()}});
        else
            fmt::print("{} files are in {}, each as it was packed.\n", pack->files.size(),
                       printable(options_.directory));
        return kSuccess;
    }

private:
    static void print(const Json& json) {
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    }

    int run(const Pack& pack) const {
        const auto announce = [](const PackedCommand& command) {
            const std::string words = fmt::format("{}", fmt::join(command.command, " "));
            say(fmt::format("in {}: {}", printable(command.directory), printable(words)));
        };
        for (const UnpackedFile& one : pack.left_out)
            say(fmt::format("What is not in the archive is used as it is here: {} ({}).",
                            printable(one.path), printable(one.why)));
        const auto repetition = repeat(pack, {options_.directory, overwrites_, json_, announce});
        if (!repetition) {
            // Nothing was run: it can be said anew, with other options.
            std::error_code ignored;
            std::filesystem::remove_all(options_.directory, ignored);
            return failed(repetition.error());
        }
        json_ ? print(as_json(*repetition)) : print_table(*repetition);
        if (!repetition->problem.empty()) say(repetition->problem);
        return repetition->is_same() ? kSuccess : kFoundProblems;
    }

    static void print_table(const Repetition& repetition) {
        if (repetition.outputs.empty()) {
            fmt::print("The run made no files that could be compared.\n");
            return;
        }
        Table table(
            {{"file", Table::Align::Left}, {"", Table::Align::Left}, {"why", Table::Align::Left}});
        for (const RepeatedOutput& output : repetition.outputs)
            table.add({output.path, text_of(output.verdict), output.why});
        fmt::print("{}", table.text(Style::of_output()));
        if (repetition.compares_nothing())
            fmt::print("None of them could be compared: whether they are the same is not known.\n");
    }

    UnpackOptions options_;
    bool runs_ = false;
    bool overwrites_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_unpack_verb() {
    return std::make_unique<UnpackVerb>();
}

}  // namespace quarry::cli
