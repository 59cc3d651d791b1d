// What every verb of the program offers. One file each; `verbs()` lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <quarry/launch.hpp>
#include <quarry/result.hpp>
#include <string_view>
#include <vector>

#include "terminal.hpp"

namespace quarry::cli {

// Documented in docs/man/quarry.1; 126 and 127 come from ExecFailure.
enum ExitCode : int {
    kSuccess = 0,
    kFoundProblems = 1,
    kWrongUsage = 2,
    kQuarryFailed = 125,
};

// Says what went wrong; to be returned.
inline int failed(const Error& error) {
    say(error.message);
    return kQuarryFailed;
}
inline int failed(ProgressLine& line, const Error& error) {
    line.clear();
    return failed(error);
}

class Verb {
public:
    enum class TakesCommand { No, Optional, Required };

    virtual ~Verb() = default;

    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0;
    virtual std::string_view usage() const = 0;     // what follows the name
    virtual std::string_view examples() const = 0;  // lines for --help
    virtual TakesCommand takes_command() const { return TakesCommand::No; }

    virtual void declare_options(CLI::App& app) = 0;
    virtual int execute(const Command& command) = 0;
};

std::unique_ptr<Verb> make_run_verb();
std::unique_ptr<Verb> make_env_verb();
std::unique_ptr<Verb> make_ls_verb();
std::unique_ptr<Verb> make_summary_verb();
std::unique_ptr<Verb> make_live_verb();
std::unique_ptr<Verb> make_report_verb();
std::unique_ptr<Verb> make_advise_verb();
std::unique_ptr<Verb> make_what_if_verb();
std::unique_ptr<Verb> make_diff_verb();
std::unique_ptr<Verb> make_carve_verb();
std::unique_ptr<Verb> make_explain_verb();
std::unique_ptr<Verb> make_verify_verb();
std::unique_ptr<Verb> make_pack_verb();
std::unique_ptr<Verb> make_unpack_verb();
std::unique_ptr<Verb> make_export_verb();
std::unique_ptr<Verb> make_doctor_verb();
std::unique_ptr<Verb> make_completion_verb();

}  // namespace quarry::cli
