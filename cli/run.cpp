#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <quarry/launch.hpp>

#include "carved_run.hpp"
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
        carved_.declare(app);
    }

    int execute(const Command& command) override {
        const Environment environment = Environment::of_process();
        LaunchOptions options = flags_.options();
        const LossListener listener;
        options.listener = listener.name();
        if (carved_.is_wanted()) {
            const auto serving = carved_.prepare();
            if (!serving) return failed(serving.error());
            options.serving = *serving;
        }
        const auto plan = plan_launch(command, environment, options, find_plugin());
        if (!plan) return failed(plan.error());
        if (flags_.require() && !plan->reasons.empty()) {
            say(fmt::format("{} was not started, because of --require: {}.", command.front(),
                            fmt::join(plan->reasons, "; ")));
            return kQuarryFailed;
        }
        if (!plan->reasons.empty() && !flags_.quiet()) say(announcement(*plan, command.front()));
        const Environment changed = with_changes(environment, plan->changes);
        if (carved_.is_wanted() || !plan->trace.empty())
            return run_to_end(command, changed, *plan, listener);
        const ExecFailure failure = become(command, changed);
        say(failure.message);
        return failure.exit_code;
    }

private:
    // Stays until the end, to say so if there is nothing to show for it, and to take away what was
    // made for the program.
    int run_to_end(const Command& command, const Environment& environment, const LaunchPlan& plan,
                   const LossListener& listener) {
        const uint64_t begin = now();
        const bool is_there = !plan.trace.empty() && prepare_trace(plan.trace);
        const ProgramEnd end =
            run_to_its_end(command, environment, [&]() -> Result<bool> { return carved_.enter(); });
        const bool is_finished = !carved_.is_wanted() || carved_.finish();
        if (end.failure) {
            say(end.failure->message);
            return end.failure->exit_code;
        }
        if (!plan.trace.empty() && listener.has_heard()) mark_loss(plan.trace);
        if (!plan.trace.empty()) say_if_empty(command, plan.trace, begin, is_there);
        if (!is_finished && end.signal == 0 && end.exit_code == 0) return kQuarryFailed;
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

    LaunchFlags flags_;
    CarvedRun carved_;
};

}  // namespace

std::unique_ptr<Verb> make_run_verb() {
    return std::make_unique<RunVerb>();
}

}  // namespace quarry::cli
