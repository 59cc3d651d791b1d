#include <fmt/format.h>

#include <quarry/doctor.hpp>

#include "diagnosis_json.hpp"
#include "diagnosis_text.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

class DoctorVerb : public Verb {
public:
    std::string_view name() const override { return "doctor"; }
    std::string_view summary() const override {
        return "Show which HDF5 is here, and prove that Quarry works in it";
    }
    std::string_view usage() const override { return "[options] [-- COMMAND...]"; }
    std::string_view examples() const override {
        return "  quarry doctor                        the Pythons and HDF5 programs here\n"
               "  quarry doctor -- python3 script.py   what this command would load\n"
               "  quarry doctor --json                 for programs\n"
               "\nNothing of COMMAND is run. Exit code 0: everything found works, 1: not "
               "everything.";
    }
    TakesCommand takes_command() const override { return TakesCommand::Optional; }
    void declare_options(CLI::App& app) override { app.add_flag("--json", json_, "print JSON"); }

    int execute(const Command& command) override {
        ProgressLine line;
        const auto diagnosis = diagnose(command, Environment::of_process(), find_plugin(),
                                        [&](const std::string& step) { line.show(step); });
        line.clear();
        if (!diagnosis) return failed(diagnosis.error());
        fmt::print("{}", json_ ? diagnosis_as_json(*diagnosis)
                               : diagnosis_as_text(*diagnosis, Style::of_output()));
        return diagnosis->healthy ? kSuccess : kFoundProblems;
    }

private:
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_doctor_verb() {
    return std::make_unique<DoctorVerb>();
}

}  // namespace quarry::cli
