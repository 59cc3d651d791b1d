#include "base/subprocess.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

namespace quarry {
namespace {

TEST(InterruptGuardTest, OneWithinAnotherEndsNothing) {
    struct sigaction before{}, after{};
    sigaction(SIGTERM, nullptr, &before);
    {
        const InterruptGuard outer;
        std::raise(SIGTERM);
        {
            const InterruptGuard inner;
        }
        EXPECT_EQ(InterruptGuard::signal(), SIGTERM);
    }
    sigaction(SIGTERM, nullptr, &after);
    EXPECT_EQ(after.sa_handler, before.sa_handler);
    const InterruptGuard another;
    EXPECT_EQ(InterruptGuard::signal(), 0);
}

// Else the child would go on as if it were the parent.
TEST(SubprocessTest, AChildThatThrowsEndsThere) {
    const auto body = []() -> int { throw std::runtime_error("no memory"); };
    const Outcome outcome = run_forked(body, std::chrono::seconds(30));
    EXPECT_EQ(outcome.end, Outcome::End::Signalled);
    EXPECT_NE(outcome.errors.find("no memory"), std::string::npos);
}

}  // namespace
}  // namespace quarry
