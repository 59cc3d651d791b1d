#include "base/subprocess.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

namespace quarry {
namespace {

using End = Outcome::End;
using namespace std::chrono_literals;

TEST(Subprocess, BringsBackWhatWasSaidAndTheExitCode) {
    const Outcome outcome =
        run_program({"/bin/sh", "-c", "echo $WORD; echo no >&2; exit 3"}, {"WORD=yes"}, 10s);
    EXPECT_EQ(outcome.end, End::Exited);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.output, "yes\n");
    EXPECT_EQ(outcome.errors, "no\n");
}

TEST(Subprocess, TakesMoreThanAPipeHolds) {
    const auto talk = [] {
        std::cout << std::string(1 << 20, 'x') << std::flush;
        std::cerr << std::string(1 << 20, 'y') << std::flush;
        return 0;
    };
    const Outcome outcome = run_forked(talk, 10s);
    EXPECT_TRUE(outcome.succeeded());
    EXPECT_EQ(outcome.output.size(), 1u << 20);
    EXPECT_EQ(outcome.errors.size(), 1u << 20);
}

TEST(Subprocess, SeesACrash) {
    const Outcome outcome = run_forked(
        [] {
            std::signal(SIGSEGV, SIG_DFL);
            raise(SIGSEGV);
            return 0;
        },
        10s);
    EXPECT_EQ(outcome.end, End::Signalled);
    EXPECT_EQ(outcome.code, SIGSEGV);
    EXPECT_NE(outcome.describe().find("signal 11"), std::string::npos);
}

TEST(Subprocess, EndsWhatTakesTooLongWithAllItsChildren) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome =
        run_program({"/bin/sh", "-c", "sleep 30 & sleep 30"}, {"PATH=/usr/bin:/bin"}, 200ms);
    EXPECT_EQ(outcome.end, End::TimedOut);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(Subprocess, TellsWhatCannotBeStarted) {
    EXPECT_EQ(run_program({"/no/such/program"}, {}, 10s).code, 127);
    EXPECT_EQ(run_program({"/etc/passwd"}, {}, 10s).code, 126);
}

TEST(Subprocess, CanBeInterrupted) {
    // Where the tests run in the background, a shell has made them deaf to it.
    std::signal(SIGINT, SIG_DFL);
    const InterruptGuard guard;
    const pid_t us = getpid();
    const auto body = [us] {
        kill(us, SIGINT);
        sleep(30);
        return 0;
    };
    EXPECT_EQ(run_forked(body, 20s).end, End::Interrupted);
    EXPECT_EQ(InterruptGuard::signal(), SIGINT);
    EXPECT_EQ(run_program({"/bin/true"}, {}, 20s).end, End::Interrupted) << "and all that follow";
}

TEST(Subprocess, WorksAgainAfterAnInterrupt) {
    const InterruptGuard guard;
    EXPECT_TRUE(run_program({"/bin/true"}, {}, 20s).succeeded());
}

}  // namespace
}  // namespace quarry
