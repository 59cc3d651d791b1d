#include <fmt/format.h>

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

class RunVerb : public Verb {
public:
    std::string_view name() const override { return "run"; }
    std::string_view summary() const override { return "Run a program under the connector"; }
    std::string_view usage() const override { return "[options] -- COMMAND..."; }
    std::string_view examples() const override {
        return "  quarry run -- python3 script.py\n"
               "  quarry run -- h5dump -H data.h5\n"
               "  quarry run --require --witness proof -- python3 -m pytest tests\n"
               "\nThe program keeps its own exit code, signals, input and output.";
    }
    TakesCommand takes_command() const override { return TakesCommand::Required; }
    void declare_options(CLI::App& app) override { flags_.declare(app); }

    int execute(const Command& command) override {
        const Environment environment = Environment::of_process();
        const auto plan = plan_launch(command, environment, flags_.options(), find_plugin());
        if (!plan) {
            say(plan.error().message);
            return kQuarryFailed;
        }
        if (flags_.require() && !plan->reasons.empty()) {
            say(fmt::format("{} was not started, because of --require: {}.", command.front(),
                            fmt::join(plan->reasons, "; ")));
            return kQuarryFailed;
        }
        if (!plan->reasons.empty() && !flags_.quiet()) say(announcement(*plan, command.front()));
        const ExecFailure failure = become(command, with_changes(environment, plan->changes));
        say(failure.message);
        return failure.exit_code;
    }

private:
    LaunchFlags flags_;
};

}  // namespace

std::unique_ptr<Verb> make_run_verb() {
    return std::make_unique<RunVerb>();
}

}  // namespace quarry::cli
