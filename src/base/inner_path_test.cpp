#include "base/inner_path.hpp"

#include <gtest/gtest.h>

namespace quarry {
namespace {

TEST(InnerPath, StaysBelowItsDirectory) {
    for (const char* path : {"a", "a/b", "a b/..c", "...", ".hidden"})
        EXPECT_TRUE(stays_below(path)) << path;
    for (const char* path :
         {"", "/", "/a", ".", "..", "../a", "a/../b", "a/..", "a//b", "a/./b", "a/"})
        EXPECT_FALSE(stays_below(path)) << path;
    EXPECT_FALSE(stays_below(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace quarry
