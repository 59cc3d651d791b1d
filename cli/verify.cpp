#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <quarry/units.hpp>
#include <quarry/verify.hpp>

#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string left_out_text(const FileComparison& found) {
    std::string text;
    if (found.hollow > 0) text = "the data of " + counted(found.hollow, "dataset", "datasets");
    if (found.partly > 0)
        text += fmt::format("{}{} of {}", text.empty() ? "" : " and ",
                            counted(found.chunks_left_out, "chunk", "chunks"),
                            counted(found.partly, "dataset", "datasets"));
    if (found.elsewhere > 0)
        text += fmt::format("{}what {} in other files", text.empty() ? "" : " and ",
                            counted(found.elsewhere, "dataset has", "datasets have"));
    return text;
}

std::string verdict_on(const FileComparison& found) {
    if (found.all_differences > 0)
        return counted(found.all_differences, "difference.", "differences.");
    const std::string same = found.is_same() ? "The same" : "What could be compared is the same";
    const std::string left_out = left_out_text(found);
    if (found.are_equal_bytes && left_out.empty()) return same + ", byte for byte.";
    if (left_out.empty()) return same + ".";
    return fmt::format(
        "{} but for {} {} left out ({}).", same, left_out,
        found.hollow + found.chunks_left_out + found.elsewhere == 1 ? "that is" : "that are",
        bytes_text(found.bytes_left_out));
}

// The first of them.
std::string names_text(const std::vector<std::string>& names) {
    constexpr size_t kMost = 20;
    const size_t more = names.size() - std::min(names.size(), kMost);
    std::string text = printable(names.front());
    for (size_t i = 1; i < names.size() - more; ++i) text += ", " + printable(names[i]);
    return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

std::string as_json(const FileComparison& found) {
    Json json{{"same", found.is_same()},
              {"equal_bytes", found.are_equal_bytes},
              {"objects", found.objects},
              {"attributes", found.attributes},
              {"datasets", found.datasets},
              {"bytes", found.bytes},
              {"hollow", found.hollow},
              {"partly", found.partly},
              {"chunks_left_out", found.chunks_left_out},
              {"elsewhere", found.elsewhere},
              {"bytes_left_out", found.bytes_left_out},
              {"not_read", found.not_read.size()},
              {"datasets_not_read", found.not_read},
              {"reads", found.reads},
              {"reads_skipped", found.reads_skipped},
              {"all_differences", found.all_differences},
              {"differences", Json::array()}};
    for (const FileDifference& one : found.differences)
        json["differences"].push_back(
            {{"object", one.object}, {"attribute", one.attribute}, {"what", one.what}});
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

class VerifyVerb : public Verb {
public:
    std::string_view name() const override { return "verify"; }
    std::string_view summary() const override {
        return "Tell whether a carved file is its original, but for data that was left out";
    }
    std::string_view usage() const override { return "[options] ORIGINAL CARVED"; }
    std::string_view examples() const override {
        return "  quarry verify /data/in.nc small/data/in.nc\n"
               "  quarry verify /data/in.nc small/data/in.nc --trace flow\n"
               "                                           and repeat what the tasks read of it";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("original", original_, "the file that was carved")
            ->type_name("ORIGINAL")
            ->required();
        app.add_option("carved", carved_, "its copy")->type_name("CARVED")->required();
        app.add_option("--trace", traces_, "repeat the reads of the original in this trace")
            ->type_name("TRACE")
            ->allow_extra_args(false);
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        ProgressLine line;
        if (!traces_.empty()) line.show(fmt::format("reading {}", fmt::join(traces_, ", ")));
        const auto reads = reads_of_traces(traces_, original_);
        if (!reads) return failed(line, reads.error());
        line.show("comparing");
        const auto found = verify_carved(original_, carved_, *reads, line.showing("comparing"));
        if (!found) return failed(line, found.error());
        line.clear();
        json_ ? fmt::print("{}", as_json(*found)) : print(*found);
        return found->is_same() ? kSuccess : kFoundProblems;
    }

private:
    void print(const FileComparison& found) const {
        for (const FileDifference& one : found.differences)
            fmt::print("{}\n", printable(text_of(one)));
        if (found.all_differences > found.differences.size())
            fmt::print("{} more.\n", found.all_differences - found.differences.size());
        print_verdict(found);
        if (!found.not_read.empty())
            fmt::print(
                "Not compared: {}. HDF5 does not find data of that in other files, or cannot read "
                "it about the original. It looks for raw data from the directory where you are.\n",
                names_text(found.not_read));
        if (!traces_.empty() && !found.are_equal_bytes)
            fmt::print(
                "{} repeated in both{}.\n", counted(found.reads, "read was", "reads were"),
                found.reads_skipped == 0
                    ? ""
                    : fmt::format(
                          "; {} not possible in the original itself, for want of a filter for one",
                          counted(found.reads_skipped, "is", "are")));
    }

    static void print_verdict(const FileComparison& found) {
        const Style style = Style::of_output();
        const std::string verdict = verdict_on(found);
        fmt::print("{}\n", found.is_same() ? style.good(verdict) : style.bad(verdict));
        if (found.are_equal_bytes) return;
        fmt::print("Compared: {}, {}, {} of data.\n", counted(found.objects, "object", "objects"),
                   counted(found.attributes, "attribute", "attributes"), bytes_text(found.bytes));
    }

    std::string original_;
    std::string carved_;
    std::vector<std::string> traces_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_verify_verb() {
    return std::make_unique<VerifyVerb>();
}

}  // namespace quarry::cli
