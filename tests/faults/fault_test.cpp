// A fault inside Quarry never fails the program: it goes on as if Quarry were not there, and one
// line on stderr says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/subprocess.hpp"
#include "base/temporary_directory.hpp"
#include "hdf5/api.hpp"

namespace quarry {
namespace {

using namespace std::chrono_literals;

Outcome run_with(const std::string& options, const std::string& fault) {
    const auto directory = TemporaryDirectory::create();
    EXPECT_TRUE(directory);
    std::vector<std::string> environment = {
        "HDF5_PLUGIN_PATH=" PLUGIN_DIRECTORY,
        "HDF5_VOL_CONNECTOR=quarry " + options,
        "QUARRY_FAULT=" + fault,
    };
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
        environment.push_back(std::string("LD_LIBRARY_PATH=") + path);
    }
    return run_program({PROGRAM, directory->path() + "/file.h5"}, environment, 60s);
}

constexpr const char* kAnswer = "328350 328350\n";

void expect_unharmed(const Outcome& outcome) {
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe() << "\n" << outcome.errors;
    EXPECT_EQ(outcome.output, kAnswer);
}

void expect_stepped_aside(const Outcome& outcome, const std::string& saying) {
    expect_unharmed(outcome);
    EXPECT_EQ(outcome.errors.rfind("quarry: ", 0), 0u) << outcome.errors;
    EXPECT_NE(outcome.errors.find(saying), std::string::npos) << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
}

TEST(Faults, NoneLeavesNothingOnStderr) {
    const Outcome outcome = run_with("bytes=on", "");
    expect_unharmed(outcome);
    EXPECT_EQ(outcome.errors, "");
}

TEST(Faults, Allocation) {
    expect_stepped_aside(run_with("bytes=on", "allocation"), "memory is short");
}

TEST(Faults, DriverThatCannotBeWrapped) {
    expect_stepped_aside(run_with("bytes=on", "driver"), "could not be wrapped");
}

TEST(Faults, VersionThatIsNotKnown) {
    expect_stepped_aside(run_with("bytes=on", "version"), "does not know");
}

TEST(Faults, BadOptions) {
    expect_stepped_aside(run_with("byes=on", ""), "unknown key");
    expect_stepped_aside(run_with("bytes=perhaps", ""), "neither on nor off");
    expect_stepped_aside(run_with("bytes=on;{{{", ""), "braces");
}

TEST(Faults, ConnectorBelowThatIsNotThere) {
    expect_stepped_aside(run_with("under=nobody", ""), "\"nobody\"");
}

TEST(Faults, WitnessThatCannotBeWritten) {
    expect_stepped_aside(run_with("witness=/proc/nowhere", ""), "/proc/nowhere");
}

class MissingSymbol : public testing::TestWithParam<const char*> {};

TEST_P(MissingSymbol, LeavesThePassingThrough) {
    expect_stepped_aside(run_with("bytes=on", std::string("symbol:") + GetParam()), GetParam());
}

#define QUARRY_NAME(name, ...) #name,
INSTANTIATE_TEST_SUITE_P(Optional, MissingSymbol,
                         testing::ValuesIn({QUARRY_HDF5_OPTIONAL(QUARRY_NAME)
                                                QUARRY_HDF5_INTERNAL(QUARRY_NAME)}),
                         [](const auto& test) { return std::string(test.param); });

// Nothing can be passed through without these, so no file can be opened. `quarry run` and `quarry
// doctor` find that out before the program does.
class EssentialSymbol : public testing::TestWithParam<const char*> {};

TEST_P(EssentialSymbol, IsExplainedOnStderr) {
    const Outcome outcome = run_with("bytes=on", std::string("symbol:") + GetParam());
    EXPECT_EQ(outcome.errors.rfind("quarry: the HDF5 in ", 0), 0u) << outcome.errors;
    EXPECT_NE(outcome.errors.find("hides its functions"), std::string::npos) << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(Essential, EssentialSymbol,
                         testing::ValuesIn({QUARRY_HDF5_ESSENTIAL(QUARRY_NAME)}),
                         [](const auto& test) { return std::string(test.param); });
#undef QUARRY_NAME

}  // namespace
}  // namespace quarry
