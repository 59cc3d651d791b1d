#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <quarry/carve.hpp>
#include <quarry/units.hpp>

#include "fates.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

class ExplainVerb : public Verb {
public:
    std::string_view name() const override { return "explain"; }
    std::string_view summary() const override {
        return "Tell what is in carved files, what was left out, and why";
    }
    std::string_view usage() const override { return "[options] DIR"; }
    std::string_view examples() const override {
        return "  quarry explain small\n"
               "  quarry explain small --left-out     only what was left out";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("directory", directory_, "that `quarry carve` has written")
            ->type_name("DIR")
            ->required();
        app.add_flag("--left-out", only_left_out_, "only datasets that are not whole");
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        auto files = fates_in(directory_);
        if (!files) return failed(files.error());
        if (only_left_out_)
            for (FileFate& file : *files)
                std::erase_if(file.datasets, [](const DatasetFate& dataset) {
                    return dataset.remains == Remains::Kept;
                });
        if (json_)
            fmt::print("{}", fates_json(*files));
        else
            print(*files);
        return kSuccess;
    }

private:
    static void print(const std::vector<FileFate>& files) {
        uint64_t before = 0, after = 0, elsewhere = 0;
        for (const FileFate& file : files) {
            before += file.size_before;
            after += file.size_after;
            elsewhere += left_out_elsewhere(file);
            fmt::print("{}: {}, carved {}\n", printable(file.input.path),
                       bytes_text(file.size_before), bytes_text(file.size_after));
            print_datasets(file);
        }
        before += elsewhere;
        const uint64_t spared = before - std::min(after, before);
        fmt::print(
            "{} of {} saved ({:.0f} %){}.\n", bytes_text(spared), bytes_text(before),
            before > 0 ? 100.0 * static_cast<double>(spared) / static_cast<double>(before) : 0.0,
            elsewhere > 0 ? fmt::format(", {} of them in other files, which hold data of datasets "
                                        "in these",
                                        bytes_text(elsewhere))
                          : "");
    }

    // In files of raw data, which are none of these.
    static uint64_t left_out_elsewhere(const FileFate& file) {
        uint64_t bytes = 0;
        for (const DatasetFate& dataset : file.datasets)
            if (dataset.remains == Remains::Elsewhere) bytes += left_out(dataset);
        return bytes;
    }

    static void print_datasets(const FileFate& file) {
        if (!file.why_whole.empty())
            fmt::print("  all of it is kept, as a copy of all bytes: {}.\n",
                       printable(file.why_whole));
        if (file.input.is_raw)
            fmt::print("  all of it is kept: it holds data of a dataset in another file.\n");
        Table table({{"", Table::Align::Left},
                     {"dataset", Table::Align::Left},
                     {"size"},
                     {"saved"},
                     {"why", Table::Align::Left}});
        for (const DatasetFate& dataset : file.datasets) {
            table.add({std::string(word_for(dataset.remains)),
                       fmt::format("{}", fmt::join(dataset.paths, ", ")),
                       bytes_text(dataset.stored),
                       left_out(dataset) > 0 ? bytes_text(left_out(dataset)) : "", dataset.why});
        }
        if (!file.datasets.empty()) fmt::print("{}", table.text(Style::of_output()));
    }

    std::string directory_;
    bool only_left_out_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_explain_verb() {
    return std::make_unique<ExplainVerb>();
}

}  // namespace quarry::cli
