#include <fmt/format.h>

#include "verb.hpp"

namespace quarry {
namespace embedded {
extern const std::string_view completion_bash;
extern const std::string_view completion_zsh;
}  // namespace embedded

namespace cli {
namespace {

class CompletionVerb : public Verb {
public:
    std::string_view name() const override { return "completion"; }
    std::string_view summary() const override { return "Print the completion script of a shell"; }
    std::string_view usage() const override { return "bash|zsh"; }
    std::string_view examples() const override {
        return "  eval \"$(quarry completion bash)\"                    in ~/.bashrc\n"
               "  quarry completion zsh > \"${fpath[1]}/_quarry\"       once";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("shell", shell_, "bash or zsh")
            ->required()
            ->check(CLI::IsMember({"bash", "zsh"}));
    }
    int execute(const Command&) override {
        fmt::print("{}", shell_ == "bash" ? embedded::completion_bash : embedded::completion_zsh);
        return kSuccess;
    }

private:
    std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> make_completion_verb() {
    return std::make_unique<CompletionVerb>();
}

}  // namespace cli
}  // namespace quarry
