#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <quarry/suggest.hpp>

#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Words = std::vector<std::string>;
using Verbs = std::vector<std::unique_ptr<Verb>>;

Verbs verbs() {
    Verbs all;
    all.push_back(make_run_verb());
    all.push_back(make_env_verb());
    all.push_back(make_ls_verb());
    all.push_back(make_summary_verb());
    all.push_back(make_live_verb());
    all.push_back(make_report_verb());
    all.push_back(make_advise_verb());
    all.push_back(make_what_if_verb());
    all.push_back(make_diff_verb());
    all.push_back(make_carve_verb());
    all.push_back(make_explain_verb());
    all.push_back(make_verify_verb());
    all.push_back(make_pack_verb());
    all.push_back(make_unpack_verb());
    all.push_back(make_export_verb());
    all.push_back(make_doctor_verb());
    all.push_back(make_completion_verb());
    return all;
}

constexpr std::string_view kExamples = R"--(Examples:
  quarry doctor                      what HDF5 is here, and does Quarry work in it?
  quarry run -- python3 script.py    run a script and record what it does
  quarry summary                     what it used, of which files, and how
  eval "$(quarry env)"               the same for the rest of a batch script

`quarry VERB --help` tells more about each verb, `man quarry` about all of them.
)--";

std::string overview(const Verbs& all) {
    std::string text =
        "Quarry sits between a program and its HDF5 and netCDF-4 files.\n\n"
        "Usage: quarry VERB [options]\n\nVerbs:\n";
    for (const auto& verb : all) text += fmt::format("  {:<12}{}\n", verb->name(), verb->summary());
    text +=
        "\nOptions:\n  -h, --help    this text\n  -V, --version the version, and where the "
        "plugin is\n\n";
    return text + std::string(kExamples);
}

int usage_error(const std::string& what, const std::string& word, const Words& candidates,
                const std::string& help) {
    const auto meant = suggest(word, candidates);
    say(fmt::format("{}.{} See `{}`.", what,
                    meant ? fmt::format(" Did you mean `{}`?", *meant) : "", help));
    return kWrongUsage;
}

int print_version() {
    const Plugin plugin = find_plugin();
    fmt::print("quarry {}\nplugin {}{}\n", QUARRY_VERSION, plugin.path,
               plugin.usable() ? "" : "\n       cannot be used: " + plugin.problem);
    return kSuccess;
}

// CLI11 knows the options; the usage line is ours, as it does not know about commands.
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(const Verb& verb) : verb_(verb) { column_width(28); }
    std::string make_usage(const CLI::App*, std::string) const override {
        return fmt::format("\nUsage: quarry {} {}\n", verb_.name(), verb_.usage());
    }
    // CLI11 takes options that may be given several times for such that take several words.
    std::string make_option_opts(const CLI::Option* option) const override {
        constexpr std::string_view kSeveral = " ...";
        std::string text = CLI::Formatter::make_option_opts(option);
        const size_t several = text.find(kSeveral);
        const bool is_positional = option->get_positional();
        if (!is_positional && !option->get_allow_extra_args() && several != std::string::npos)
            text.erase(several, kSeveral.size());
        return text;
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        const bool is_repeated =
            option->get_expected_max() == CLI::detail::expected_max_vector_size &&
            !option->get_positional() && !option->get_allow_extra_args();
        return option->get_description() + (is_repeated ? "; may be given several times" : "");
    }
    std::string make_footer(const CLI::App*) const override {
        return fmt::format("\nExamples:\n{}\n", verb_.examples());
    }

private:
    const Verb& verb_;
};

Words option_names(const CLI::App& app) {
    Words names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

// Where the verb's own words end and the command begins: at `--`, or at the first word that is
// neither an option nor an option's value.
size_t command_start(const Words& words, const CLI::App& app) {
    for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--" || !words[i].starts_with('-')) return i;
        const CLI::Option* option = app.get_option_no_throw(words[i]);
        if (option && option->get_items_expected_min() > 0) ++i;
    }
    return words.size();
}

// Takes the command off the end of `words`.
Command split_command(Words& words, const CLI::App& app) {
    const auto start = words.begin() + static_cast<ptrdiff_t>(command_start(words, app));
    Command command(start, words.end());
    words.erase(start, words.end());
    if (!command.empty() && command.front() == "--") command.erase(command.begin());
    return command;
}

int check_words(const Verb& verb, const CLI::App& app, const Command& command) {
    const std::string help = fmt::format("quarry {} --help", verb.name());
    if (const auto extras = app.remaining(); !extras.empty()) {
        const bool option = extras.front().starts_with('-');
        return usage_error(fmt::format("`quarry {}` has no {} `{}`", verb.name(),
                                       option ? "option" : "argument", extras.front()),
                           extras.front(), option ? option_names(app) : Words{}, help);
    }
    if (verb.takes_command() == Verb::TakesCommand::Required && command.empty())
        return usage_error(fmt::format("`quarry {}` needs a command to run: `quarry {} {}`",
                                       verb.name(), verb.name(), verb.usage()),
                           "", {}, help);
    return kSuccess;
}

int run_verb(Verb& verb, Words words) {
    CLI::App app{std::string(verb.summary()) + ".", "quarry " + std::string(verb.name())};
    app.formatter(std::make_shared<HelpFormatter>(verb));
    app.set_help_flag("-h,--help", "this text");
    app.allow_extras();
    verb.declare_options(app);
    Command command;
    if (verb.takes_command() != Verb::TakesCommand::No) command = split_command(words, app);
    try {
        std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
        app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
        return kSuccess;
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what(), "", {}, fmt::format("quarry {} --help", verb.name()));
    }
    if (const int wrong = check_words(verb, app, command)) return wrong;
    return verb.execute(command);
}

}  // namespace

int run_command_line(const std::vector<std::string>& words) {
    const Verbs all = verbs();
    if (words.empty()) {
        fmt::print(stderr, "{}", overview(all));
        return kWrongUsage;
    }
    const std::string& first = words.front();
    Words rest(words.begin() + 1, words.end());
    if (first == "--version" || first == "-V") return print_version();
    const bool help = first == "--help" || first == "-h" || first == "help";
    if (help && rest.empty()) {
        fmt::print("{}", overview(all));
        return kSuccess;
    }
    const std::string name = help ? rest.front() : first;
    if (help) rest = {"--help"};
    for (const auto& verb : all)
        if (verb->name() == name) return run_verb(*verb, rest);

    Words candidates{"help"};
    for (const auto& verb : all) candidates.emplace_back(verb->name());
    const bool option = name.starts_with('-');
    if (option) candidates = {"--help", "--version"};
    return usage_error(fmt::format("quarry has no {} `{}`", option ? "option" : "verb", name), name,
                       candidates, "quarry --help");
}

}  // namespace quarry::cli
