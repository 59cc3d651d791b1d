#include "pack/commands.hpp"

#include <gtest/gtest.h>

namespace quarry::pack_files {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

ProcessFacts process(const std::string& name, uint32_t pid, uint32_t parent, uint64_t started) {
    ProcessFacts facts;
    facts.host = "here";
    facts.pid = pid;
    facts.parent_pid = parent;
    facts.started = started * kSecond;
    facts.begin = facts.started + kSecond / 10;
    facts.command = {name};
    facts.directory = "/nowhere";
    return facts;
}

std::vector<std::string> top_level(const TraceFacts& facts,
                                   const std::vector<std::string>& tasks = {}) {
    std::vector<std::string> names;
    for (const PackedCommand& command : commands_of(facts, tasks))
        if (command.is_top_level) names.push_back(command.command.front());
    return names;
}

TEST(PackedCommandsTest, AreInTheOrderOfTheirStart) {
    TraceFacts facts;
    facts.processes = {process("second", 11, 1, 20), process("first", 10, 1, 10)};
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"first", "second"}));
}

TEST(PackedCommandsTest, ChildrenAreStartedByTheirParents) {
    TraceFacts facts;
    facts.processes = {process("script", 10, 1, 10), process("child", 11, 10, 11),
                       process("another", 12, 1, 12)};
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"script", "another"}));
    facts.processes[1].host = "elsewhere";
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"script", "child", "another"}));
}

TEST(PackedCommandsTest, ParentsHaveNotEndedBefore) {
    TraceFacts facts;
    facts.processes = {process("script", 10, 1, 10), process("child", 11, 10, 20)};
    facts.processes[0].gone = 30 * kSecond;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"script"}));
    // Since then the number has been given to another process, which is not in the trace.
    facts.processes[0].gone = 15 * kSecond;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"script", "child"}));
}

TEST(PackedCommandsTest, ParentsMayOpenTheirFirstFileLater) {
    TraceFacts facts;
    facts.processes = {process("child", 11, 10, 20), process("script", 10, 1, 10)};
    facts.processes[1].begin = 30 * kSecond;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"script"}));
    // One that was started later has the number of the parent.
    facts.processes[1].started = 25 * kSecond;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"child", "script"}));
}

TEST(PackedCommandsTest, AProgramMayBecomeAnother) {
    TraceFacts facts;
    facts.processes = {process("wrapper", 10, 1, 10), process("program", 10, 1, 10)};
    facts.processes[1].begin += kSecond;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"wrapper"}));
    // Much later it is another process with the same number.
    facts.processes[1] = process("program", 10, 1, 5000);
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"wrapper", "program"}));
}

TEST(PackedCommandsTest, BetweenAProgramAndItsAncestorMayBeOthers) {
    TraceFacts facts;
    facts.processes = {process("make", 10, 1, 10), process("program", 12, 11, 11)};
    facts.processes[0].number = {10, 700};
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"make", "program"}));
    facts.processes[1].ancestors = {{10, 700}, {1, 1}};
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"make"}));
    facts.processes[1].ancestors = {{10, 600}, {1, 1}};
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"make", "program"}));
}

TEST(PackedCommandsTest, ForksAreOneProgram) {
    TraceFacts facts;
    // Who has forked them opens nothing.
    facts.processes = {process("fork", 11, 10, 12), process("fork", 12, 10, 11)};
    facts.processes[0].execution = facts.processes[1].execution = 5;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"fork"}));
    // The same words, once more.
    facts.processes[1].execution = 6;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"fork", "fork"}));
    // Of a program that has forked one by way of another.
    facts.processes = {process("main", 10, 1, 10), process("fork", 12, 11, 10)};
    facts.processes[0].execution = facts.processes[1].execution = 5;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"main"}));
    // Which make has started.
    facts.processes.push_back(process("make", 9, 1, 5));
    facts.processes[0].parent_pid = 9;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"make"}));
    // Which has recorded one of its forks.
    facts.processes = {process("main", 10, 1, 10), process("fork", 11, 10, 11)};
    facts.processes[0].execution = facts.processes[1].execution = 5;
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"main"}));
}

TEST(PackedCommandsTest, StartWithTheProgramThatHasForkedThem) {
    TraceFacts facts;
    facts.processes = {process("other", 11, 1, 12), process("fork", 20, 19, 20)};
    facts.processes[1].loaded = 10 * kSecond;
    const auto commands = commands_of(facts, {});
    EXPECT_EQ(commands.front().command.front(), "fork");
    EXPECT_EQ(commands.front().started, 10 * kSecond);
}

std::vector<std::string> without_origin(const TraceFacts& facts) {
    std::vector<std::string> programs;
    for (const PackedCommand& command : commands_of(facts, {}))
        if (command.lacks_origin) programs.push_back(command.program);
    return programs;
}

TEST(PackedCommandsTest, WorkersAreNeverRunAlone) {
    TraceFacts facts;
    facts.processes = {process("python", 10, 1, 10), process("python", 11, 10, 11),
                       process("python", 12, 99, 12)};
    facts.processes[1].command = facts.processes[2].command = {
        "python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main(pipe_handle=7)",
        "--multiprocessing-fork"};
    facts.processes[2].program = "worker of another";
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"python"}));
    EXPECT_EQ(without_origin(facts), (std::vector<std::string>{"worker of another"}));
}

// A server that opens nothing has started them.
TEST(PackedCommandsTest, ForkedWorkersWorkForWhoeverIsThere) {
    TraceFacts facts;
    facts.processes = {process("python", 10, 1, 10), process("python", 12, 11, 12),
                       process("python", 13, 11, 12)};
    facts.processes[1].command = facts.processes[2].command = {
        "python", "-c", "from multiprocessing.forkserver import main; main(3, 6, [])"};
    EXPECT_EQ(top_level(facts), (std::vector<std::string>{"python"}));
    EXPECT_EQ(without_origin(facts).size(), 0);
    facts.processes.erase(facts.processes.begin());
    EXPECT_EQ(top_level(facts).size(), 0);
    EXPECT_EQ(without_origin(facts).size(), 2);
}

TEST(PackedCommandsTest, OfOneTaskOnly) {
    TraceFacts facts;
    facts.processes = {process("simulate", 10, 1, 10), process("analyse", 11, 10, 20)};
    facts.tasks = {{"one", 0, 0, {0}}, {"two", 0, 0, {1}}};
    EXPECT_EQ(top_level(facts, {"two"}), (std::vector<std::string>{"analyse"}));
}

TEST(PackedCommandsTest, KnowWhichLackASecret) {
    PackedCommand command;
    command.command = {"get", "--password", "***"};
    EXPECT_TRUE(lacks_secret(command));
    command.command.pop_back();
    EXPECT_FALSE(lacks_secret(command));
}

}  // namespace
}  // namespace quarry::pack_files
