#include <fmt/format.h>

#include <map>
#include <quarry/launch.hpp>

#include "launch_flags.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

const std::map<std::string, Shell> kShells{
    {"sh", Shell::Posix}, {"csh", Shell::C}, {"fish", Shell::Fish}};

class EnvVerb : public Verb {
public:
    std::string_view name() const override { return "env"; }
    std::string_view summary() const override {
        return "Print the variables that select the connector, for batch scripts";
    }
    std::string_view usage() const override { return "[options]"; }
    std::string_view examples() const override {
        return "  eval \"$(quarry env)\"                 sh, bash, zsh\n"
               "  eval `quarry env --shell csh`        csh, tcsh\n"
               "  quarry env --shell fish | source     fish";
    }
    void declare_options(CLI::App& app) override {
        flags_.declare(app);
        app.add_option("--shell", shell_, "sh (also bash and zsh), csh (also tcsh) or fish")
            ->type_name("SHELL")
            ->check(CLI::IsMember(kShells));
    }

    int execute(const Command&) override {
        const auto plan =
            plan_environment(Environment::of_process(), flags_.options(), find_plugin());
        if (!plan) return failed(plan.error());
        const bool aside = plan->route == LaunchPlan::Route::Aside;
        if (!plan->reasons.empty() && !flags_.quiet())
            say(fmt::format("{}: {}. `quarry doctor` tells more.",
                            aside ? "nothing is set" : "not all will run under Quarry",
                            fmt::join(plan->reasons, "; ")));
        if (aside || (flags_.require() && !plan->reasons.empty())) return kQuarryFailed;
        fmt::print("{}", shell_commands(plan->changes, kShells.at(shell_)));
        return kSuccess;
    }

private:
    LaunchFlags flags_;
    std::string shell_ = "sh";
};

}  // namespace

std::unique_ptr<Verb> make_env_verb() {
    return std::make_unique<EnvVerb>();
}

}  // namespace quarry::cli
