#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "advice_text.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

std::string this_host() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// One on another machine that has not ended is taken to run.
bool is_running(const ProcessFacts& process, const std::string& here) {
    return process.is_running || (!process.ended && process.host != here);
}

class LiveVerb : public Verb {
public:
    std::string_view name() const override { return "live"; }
    std::string_view summary() const override { return "Watch a trace while programs write it"; }
    std::string_view usage() const override { return "[options] [TRACE]"; }
    std::string_view examples() const override {
        return "  quarry live                   ./quarry-trace, until its programs have ended\n"
               "  quarry live flow --interval 10\n"
               "  quarry live flow --once       how it stands now";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_option("--interval", interval_, "seconds from one look to the next (default: 2)")
            ->type_name("SECONDS")
            ->check(CLI::Range(0.1, 86400.0));
        app.add_flag("--once", once_, "look only once");
    }

    int execute(const Command&) override {
        const Style style = Style::of_output();
        const std::string here = this_host();
        const bool is_terminal = isatty(STDOUT_FILENO) == 1;
        for (bool is_first = true;; is_first = false) {
            const auto advice = advise(trace_, {});
            if (!advice) return failed(advice.error());
            const auto& processes = advice->flow.summary.facts.processes;
            const auto running = std::count_if(
                processes.begin(), processes.end(),
                [&](const ProcessFacts& process) { return is_running(process, here); });
            if (is_terminal && !once_) {
                fmt::print("\x1b[H\x1b[2J");
            } else if (!is_first) {
                fmt::print("\n");
            }
            fmt::print("{}\n{}",
                       style.strong(running > 0 ? fmt::format("{} running", running)
                                                : std::string("all have ended")),
                       overview_text(*advice, style));
            std::fflush(stdout);
            if (once_ || running == 0 || std::ferror(stdout) != 0) return kSuccess;
            std::this_thread::sleep_for(std::chrono::duration<double>(interval_));
        }
    }

private:
    std::string trace_ = "quarry-trace";
    double interval_ = 2;
    bool once_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_live_verb() {
    return std::make_unique<LiveVerb>();
}

}  // namespace quarry::cli
