#include "pack/python_program.hpp"

#include <gtest/gtest.h>

namespace quarry::pack_files {
namespace {

using Kind = PythonProgram::Kind;

PythonProgram program_of(std::vector<std::string> words) {
    words.insert(words.begin(), "python3");
    PackedCommand command;
    command.command = words;
    command.directory = "/work";
    return python_program_of(command);
}

TEST(PythonProgramTest, IsAScript) {
    const PythonProgram expected{Kind::Script, "/work/a.py", "/work"};
    EXPECT_EQ(program_of({"a.py", "-c", "b"}), expected);
    EXPECT_EQ(program_of({"-B", "-W", "ignore", "./a.py"}), expected);
    EXPECT_EQ(program_of({"-Wignore", "-X", "utf8", "--", "a.py"}), expected);
    EXPECT_EQ(program_of({"--check-hash-based-pycs", "never", "a.py"}), expected);
}

TEST(PythonProgramTest, IsAModule) {
    const PythonProgram expected{Kind::Module, "a.b", "/work"};
    EXPECT_EQ(program_of({"-m", "a.b", "c.py"}), expected);
    EXPECT_EQ(program_of({"-ma.b"}), expected);
    EXPECT_EQ(program_of({"-Bum", "a.b"}), expected);
}

TEST(PythonProgramTest, IsCode) {
    const PythonProgram expected{Kind::Code, "import a", "/work"};
    EXPECT_EQ(program_of({"-c", "import a", "-m", "c"}), expected);
    EXPECT_EQ(program_of({"-ucimport a"}), expected);
}

TEST(PythonProgramTest, MayComeFromElsewhere) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{}, {"-"}, {"-i"}, {"-c"}, {"-W"}, {"--"}})
        EXPECT_EQ(program_of(words).what, "");
}

}  // namespace
}  // namespace quarry::pack_files
