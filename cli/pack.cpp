#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <quarry/pack.hpp>
#include <quarry/units.hpp>

#include "carve_flags.hpp"
#include "option_values.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string as_json(const PackResult& result) {
    Json json{{"size", result.size},
              {"inputs", Json::array()},
              {"commands", Json::array()},
              {"programs", Json::array()},
              {"left_out", Json::array()},
              {"outputs", Json::array()},
              {"python_path", result.pack.python_path},
              {"cautions", result.cautions}};
    for (const FileFate& file : result.inputs)
        json["inputs"].push_back({{"original", file.input.path},
                                  {"problem", file.problem},
                                  {"why_whole", file.why_whole},
                                  {"size", file.size_before},
                                  {"copy_size", file.size_after}});
    for (const PackedCommand& one : result.pack.commands)
        json["commands"].push_back({{"tasks", one.tasks},
                                    {"command", one.command},
                                    {"directory", one.directory},
                                    {"top_level", one.is_top_level}});
    for (const PackedProgram& one : result.pack.programs) json["programs"].push_back(one.original);
    for (const UnpackedFile& one : result.pack.left_out)
        json["left_out"].push_back({{"path", one.path}, {"why", one.why}});
    for (const PackedOutput& one : result.pack.outputs)
        json["outputs"].push_back({{"path", one.path},
                                   {"size", one.size},
                                   {"sha256", one.sha256},
                                   {"copied", !one.copy.empty()},
                                   {"problem", one.problem}});
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_whole(const PackResult& result) {
    return std::all_of(result.inputs.begin(), result.inputs.end(),
                       [](const FileFate& file) { return file.problem.empty(); });
}

class PackVerb : public Verb {
public:
    std::string_view name() const override { return "pack"; }
    std::string_view summary() const override {
        return "Put all that it takes to repeat a run into one archive";
    }
    std::string_view usage() const override { return "-o FILE [options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry pack -o app.tar.zst               the run in ./quarry-trace\n"
               "  quarry pack -o app.tar.zst flow --dry-run    what would be in it\n"
               "\nBesides carved input files it holds scripts and other files that the commands\n"
               "name or read: look at the list before you give it to others.";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", options_.trace, "directory of a trace")->type_name("TRACE");
        app.add_option("-o,--output", options_.archive, "the archive, by custom a .tar.zst")
            ->type_name("FILE")
            ->required();
        flags_.declare(app);
        app.add_option("--outputs-below", options_.outputs_below,
                       "put in HDF5 files that were made and are smaller, so that repeated ones "
                       "can be compared with them by content (default: 64M)")
            ->type_name("BYTES")
            ->transform(as_size());
        app.add_flag("--dry-run", dry_run_, "only say what would be in it");
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        ProgressLine line;
        const auto inputs = flags_.inputs({options_.trace}, line);
        if (!inputs) return failed(line, inputs.error());
        options_.tasks = flags_.tasks();
        options_.carving = flags_.options();
        options_.carving.verifying = line.showing("verifying");
        const auto result = dry_run_ ? plan_pack(options_, *inputs)
                                     : make_pack(options_, *inputs, line.showing("carving"),
                                                 line.showing("packing"));
        if (!result) return failed(line, result.error());
        line.clear();
        json_ ? fmt::print("{}", as_json(*result)) : print(*result);
        for (const std::string& caution : result->cautions) say(printable(caution));
        flags_.say_what_is_idle(result->inputs);
        return is_whole(*result) ? kSuccess : kFoundProblems;
    }

private:
    void print(const PackResult& result) const {
        const Pack& pack = result.pack;
        Table table({{"what", Table::Align::Left}, {"path", Table::Align::Left}, {"size"}});
        for (const FileFate& file : result.inputs)
            table.add({"input", file.input.path,
                       bytes_text(file.size_after > 0 ? file.size_after : file.size_before)});
        for (const PackedProgram& one : pack.programs) table.add({"program", one.original, ""});
        for (const PackedOutput& one : pack.outputs)
            if (one.problem.empty())
                table.add(
                    {one.copy.empty() ? "checksum of" : "output", one.path, bytes_text(one.size)});
        fmt::print("{}", table.text(Style::of_output()));
        print_reservations(result);
        if (result.size == 0)
            fmt::print("Nothing has been written.\n");
        else
            fmt::print("{} has {}.\n", printable(options_.archive), bytes_text(result.size));
    }

    static void print_reservations(const PackResult& result) {
        for (const FileFate& file : result.inputs) {
            const std::string& why = file.problem.empty() ? file.why_whole : file.problem;
            if (!why.empty())
                fmt::print("{}: {}: {}.\n",
                           file.problem.empty() ? "Copied whole" : "Cannot be packed",
                           printable(file.input.path), printable(why));
        }
        for (const UnpackedFile& one : result.pack.left_out)
            fmt::print("{}: {} ({}).\n",
                       one.is_what_loads ? "Not in it, though loaded by" : "Not in it",
                       printable(one.path), printable(one.why));
        for (const PackedOutput& one : result.pack.outputs)
            if (!one.problem.empty())
                fmt::print("Cannot be compared later: {}: {}.\n", printable(one.path),
                           printable(one.problem));
        for (const PythonVersions& one : result.pack.versions.pythons)
            if (!one.problem.empty())
                fmt::print("What is installed for {} is not known: {}.\n",
                           printable(one.interpreter), printable(one.problem));
    }

    PackOptions options_{.trace = "quarry-trace", .archive = "", .tasks = {}, .carving = {}};
    CarveFlags flags_;
    bool dry_run_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_pack_verb() {
    return std::make_unique<PackVerb>();
}

}  // namespace quarry::cli
