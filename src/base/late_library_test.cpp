#include "base/late_library.hpp"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(LateLibraryTest, CallsWhatIsInALibrary) {
    LateLibrary mathematics("libm.so.6");
    using Function = double (*)(double);
    EXPECT_EQ(reinterpret_cast<Function>(mathematics.function("fabs"))(-2.0), 2.0);
}

// In a program of its own, which has had its stderr from the beginning: nothing is said elsewhere.
class LateLibraryDeathTest : public testing::Test {
protected:
    LateLibraryDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LateLibraryDeathTest, EndsAsTheLoaderDoesWithoutOne) {
    LateLibrary missing("libquarry_missing.so.7");
    EXPECT_EXIT(missing.function("anything"), testing::ExitedWithCode(127),
                "quarry: libquarry_missing.so.7, which Quarry is built with, cannot be used: .*No "
                "such file.*Install");
}

TEST_F(LateLibraryDeathTest, EndsWhereAFunctionIsMissing) {
    LateLibrary mathematics("libm.so.6");
    EXPECT_EXIT(mathematics.function("quarry_missing"), testing::ExitedWithCode(127),
                "undefined symbol: quarry_missing");
}

}  // namespace
}  // namespace quarry
