#include "launch/command.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "folder.hpp"

namespace quarry {
namespace {

using Kind = Program::Kind;

constexpr const char* kBinary = FAKE_PROGRAMS "/uses_hdf5_1_14_5";

class CommandTest : public FolderTest {
protected:
    Program resolve(const Command& command) const {
        return resolve_program(command,
                               Environment::of({{"PATH", path("bin") + ":/usr/bin:/bin"}}));
    }
};

TEST_F(CommandTest, FindsBinariesOnThePath) {
    const std::string program = copy(kBinary, "bin/solver");
    EXPECT_EQ(resolve({"solver"}).path, program);
    EXPECT_EQ(resolve({"solver"}).kind, Kind::Binary);
    EXPECT_EQ(resolve({"nice", program}).path, program);
}

TEST_F(CommandTest, PassesOverWhatIsNotExecutable) {
    write("bin/solver", "text");
    EXPECT_EQ(resolve({"solver"}).kind, Kind::Unknown);
    EXPECT_EQ(resolve({"/no/such/program"}).kind, Kind::Unknown);
    EXPECT_EQ(resolve({""}).kind, Kind::Unknown);
}

TEST_F(CommandTest, KnowsPythonByItsName) {
    for (const char* name : {"python", "python3", "python3.11", "python3.13t", "pypy3"})
        EXPECT_EQ(resolve({copy(kBinary, std::string("bin/") + name)}).kind, Kind::Python) << name;
    EXPECT_EQ(resolve({copy(kBinary, "bin/pythonista")}).kind, Kind::Binary);
}

TEST_F(CommandTest, FollowsTheFirstLineOfScripts) {
    const std::string python = copy(kBinary, "bin/python3");
    const Command scripts[] = {
        {write_program("direct", "#!" + python + "\n")},
        {write_program("options", "#! " + python + " -u\n")},
        {write_program("by_env", "#!/usr/bin/env python3\n")},
        {write_program("split", "#!/usr/bin/env -S python3 -u\n")},
        {write_program("long", "#!/bin/sh\n'''exec' \"" + python + "\" \"$0\" \"$@\"\n' '''\n")},
        {write_program("chain", "#!" + path("direct") + "\n"), "argument"},
    };
    for (const Command& command : scripts) {
        EXPECT_EQ(resolve(command).kind, Kind::Python) << command.front();
        EXPECT_EQ(resolve(command).path, python) << command.front();
    }
}

TEST_F(CommandTest, LeavesOtherScriptsAsTheyAre) {
    const std::string script = write_program("bin/job", "#!/bin/sh\nexec python3 x.py\n");
    EXPECT_EQ(resolve({"job"}).kind, Kind::Script);
    EXPECT_EQ(resolve({"job"}).path, script);
    EXPECT_EQ(resolve({write_program("loop", "#!" + path("loop") + "\n")}).kind, Kind::Script);
    EXPECT_EQ(resolve({write_program("blank", "#!\n")}).kind, Kind::Unknown);
    EXPECT_EQ(resolve({write_program("bare", "echo hello\n")}).kind, Kind::Unknown);
}

TEST_F(CommandTest, LooksBehindPyenvShims) {
    write_program("pyenv/shims/python3", "#!/usr/bin/env bash\n");
    write("pyenv/version", "3.11.7\n");
    const std::string global = copy(kBinary, "pyenv/versions/3.11.7/bin/python3");
    const std::string other = copy(kBinary, "pyenv/versions/3.12.1/bin/python3");
    Environment environment = Environment::of({{"PATH", path("pyenv/shims") + ":/usr/bin:/bin"}});
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(path("."));
    EXPECT_EQ(resolve_program({"python3"}, environment).path, global);
    write(".python-version", "3.12.1\n");
    EXPECT_EQ(resolve_program({"python3"}, environment).path, other);
    environment.set("PYENV_VERSION", "3.11.7");
    EXPECT_EQ(resolve_program({"python3"}, environment).path, global);
    std::filesystem::current_path(here);
}

TEST_F(CommandTest, SaysWhoClearsTheEnvironment) {
    copy(kBinary, "bin/solver");
    EXPECT_EQ(resolve({"env", "-i", "solver"}).cleared_by, "env -i clears the environment");
    const std::string script = write_program("cleared", "#!/usr/bin/env -S -i solver\n");
    EXPECT_FALSE(resolve({script}).cleared_by.empty());
    EXPECT_TRUE(resolve({"solver"}).cleared_by.empty());
}

}  // namespace
}  // namespace quarry
