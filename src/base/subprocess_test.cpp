#include "base/subprocess.hpp"

#include <gtest/gtest.h>

#include <csignal>

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

}  // namespace
}  // namespace quarry
