// Whatever a value holds, the shell must give it back: tried with random values in every shell
// here.
#include <gtest/gtest.h>

#include <quarry/launch.hpp>
#include <random>

#include "base/subprocess.hpp"
#include "launch/command.hpp"

namespace quarry {
namespace {

struct Case {
    Shell shell;
    const char* program;
};
// Without this GoogleTest prints the bytes, also those that are only padding and were never set.
void PrintTo(const Case& test, std::ostream* out) {
    *out << test.program;
}

// Characters that some shell treats specially, more often than others.
std::string random_value(std::mt19937& random) {
    constexpr std::string_view special = "'\"\\$`!;&|<>(){}[]*?~#=% \t\n-";
    std::uniform_int_distribution<size_t> length(0, 24);
    std::uniform_int_distribution<int> any(1, 126);
    std::uniform_int_distribution<size_t> chosen(0, special.size() - 1);
    std::string value;
    for (size_t left = length(random); left > 0; --left)
        value += random() % 2 ? special[chosen(random)] : static_cast<char>(any(random));
    return value;
}

std::string value_after_eval(const Case& test, const std::string& program,
                             const std::string& value) {
    const std::string script =
        shell_commands({{"QUARRY_TEST", value}, {"QUARRY_GONE", std::nullopt}}, test.shell) +
        "/usr/bin/env -0\n";
    const Environment environment =
        Environment::of({{"PATH", "/usr/bin:/bin"}, {"QUARRY_GONE", "still here"}});
    const Outcome outcome =
        run_program({program, "-c", script}, environment.entries(), std::chrono::seconds(20));
    EXPECT_EQ(outcome.output.find("QUARRY_GONE"), std::string::npos);
    const std::string mark = "QUARRY_TEST=";
    const size_t start = outcome.output.find(mark);
    if (start == std::string::npos) return "nothing: " + outcome.errors;
    return outcome.output.c_str() + start + mark.size();
}

class ShellTest : public testing::TestWithParam<Case> {};

TEST_P(ShellTest, GivesEveryValueBack) {
    const auto program = find_program(GetParam().program, Environment::of_process());
    if (!program) GTEST_SKIP() << GetParam().program << " is not installed";
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 60; ++i) {
        const std::string value = random_value(random);
        ASSERT_EQ(value_after_eval(GetParam(), *program, value), value);
    }
}

INSTANTIATE_TEST_SUITE_P(Shells, ShellTest,
                         testing::Values(Case{Shell::Posix, "sh"}, Case{Shell::Posix, "bash"},
                                         Case{Shell::Posix, "zsh"}, Case{Shell::C, "csh"},
                                         Case{Shell::C, "tcsh"}, Case{Shell::Fish, "fish"}),
                         [](const auto& parameter) {
                             return std::string(parameter.param.program);
                         });

}  // namespace
}  // namespace quarry
