#include <fmt/format.h>
#include <filesystem>

#include <chrono>
#include <quarry/carved.hpp>
#include <quarry/launch.hpp>

#include "launch_flags.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

std::string announcement(const LaunchPlan& plan, const std::string& program) {
    const bool aside = plan.route == LaunchPlan::Route::Aside;
    return fmt::format(
        fmt::runtime(aside ? "running {} without Quarry: {}. `quarry doctor` tells more."
                           : "Quarry will not see all of {}: {}."),
        program, fmt::join(plan.reasons, "; "));
}

uint64_t now() {
    using namespace std::chrono;
    return static_cast<uint64_t>(
        duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

class RunVerb : public Verb {
public:
    std::string_view name() const override { return "run"; }
    std::string_view summary() const override {
        return "Run a program and record what it does with its files";
    }
    std::string_view usage() const override { return "[options] -- COMMAND..."; }
    std::string_view examples() const override {
        return "  quarry run -- python3 script.py\n"
               "  quarry run --trace flow --task simulate -- ./simulate.sh\n"
               "  quarry run --no-trace -- h5dump -H data.h5\n"
               "  quarry run --require --witness proof -- python3 -m pytest tests\n"
               "  quarry run --carved small -- python3 script.py\n"
               "\nThe program keeps its own exit code, signals, input and output.";
    }
    TakesCommand takes_command() const override { return TakesCommand::Required; }
    void declare_options(CLI::App& app) override {
        flags_.declare(app);
        app.add_option("--carved", carved_,
                       "show the carved files in this directory in the places of their originals")
            ->type_name("DIR");
        app.add_option("--writes", writes_,
                       "what becomes of writing to carved files: refuse it (default), or let it go "
                       "to a copy, which is kept if it was changed")
            ->type_name("HOW")
            ->check(CLI::IsMember({"refuse", "copy"}))
            ->needs("--carved");
        app.add_flag("--in-place", in_place_,
                     "lay carved files out for everybody while the program runs, where originals "
                     "are missing; for machines without user namespaces")
            ->needs("--carved")
            ->excludes("--writes");
    }

    int execute(const Command& command) override {
        const Environment environment = Environment::of_process();
        const auto plan = plan_launch(command, environment, flags_.options(), find_plugin());
        if (!plan) return failed(plan.error());
        if (flags_.require() && !plan->reasons.empty()) {
            say(fmt::format("{} was not started, because of --require: {}.", command.front(),
                            fmt::join(plan->reasons, "; ")));
            return kQuarryFailed;
        }
        if (!plan->reasons.empty() && !flags_.quiet()) say(announcement(*plan, command.front()));
        const Environment changed = with_changes(environment, plan->changes);
        if (!carved_.empty()) return run_carved(command, changed, *plan);
        if (!plan->trace.empty()) return run_recorded(command, changed, *plan, nullptr);
        const ExecFailure failure = become(command, changed);
        say(failure.message);
        return failure.exit_code;
    }

private:
    // Stays until the end, to take away what was made for the program.
    int run_carved(const Command& command, const Environment& environment,
                   const LaunchPlan& plan) const {
        using Options = CarvedViewOptions;
        const auto carved = open_carved(carved_);
        if (!carved) return failed(carved.error());
        auto view = CarvedView::prepare(
            *carved, {in_place_ ? Options::Means::InPlace : Options::Means::Namespace,
                      writes_ == "copy" ? Options::Writes::Copy : Options::Writes::Refuse});
        if (!view) return failed(view.error());
        if (!view->uncovered().empty()) {
            view->clean_up();
            return failed(
                {fmt::format("{} is there: --in-place puts nothing over it. Move it away, "
                             "or leave out --in-place.",
                             fmt::join(view->uncovered(), ", "))});
        }
        return run_recorded(command, environment, plan, &*view);
    }

    // Stays until the end, to say so if there is nothing to show for it.
    int run_recorded(const Command& command, const Environment& environment, const LaunchPlan& plan,
                     CarvedView* view) const {
        const uint64_t begin = now();
        const bool is_there = !plan.trace.empty() && prepare_trace(plan.trace);
        const ProgramEnd end = run_to_its_end(
            command, environment, [&]() -> Result<bool> { return view ? view->enter() : true; });
        if (view) {
            for (const auto& [original, copy] : view->clean_up())
                say(fmt::format("what was written to {} is in {}.", original, copy));
        }
        if (end.failure) {
            say(end.failure->message);
            return end.failure->exit_code;
        }
        if (!plan.trace.empty()) say_if_empty(command, plan.trace, begin, is_there);
        end_like(end);
    }

    void say_if_empty(const Command& command, const std::string& trace, uint64_t begin,
                      bool was_there) const {
        std::error_code ignored;
        // Whoever recorded into it has said so.
        const bool vanished = was_there && !std::filesystem::exists(trace, ignored);
        if (vanished || was_recorded_since(trace, begin) || flags_.quiet()) return;
        say(
            fmt::format("nothing was recorded: {0} opened no HDF5 file through the connector. "
                        "`quarry doctor -- {0}` tells whether it could.",
                        command.front()));
    }

    static int failed(const Error& why) {
        say(why.message);
        return kQuarryFailed;
    }

    LaunchFlags flags_;
    std::string carved_;
    std::string writes_;
    bool in_place_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_run_verb() {
    return std::make_unique<RunVerb>();
}

}  // namespace quarry::cli
