#include "base/subprocess.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace quarry {
namespace {

// Else the child would go on as if it were the parent.
TEST(SubprocessTest, AChildThatThrowsEndsThere) {
    const auto body = []() -> int { throw std::runtime_error("no memory"); };
    const Outcome outcome = run_forked(body, std::chrono::seconds(30));
    EXPECT_EQ(outcome.end, Outcome::End::Signalled);
    EXPECT_NE(outcome.errors.find("no memory"), std::string::npos);
}

}  // namespace
}  // namespace quarry
