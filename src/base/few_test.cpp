#include "base/few.hpp"

#include <gtest/gtest.h>

#include <span>

namespace quarry {
namespace {

TEST(Few, HoldsWhatAVectorWouldHold) {
    std::vector<int> expected;
    Few<int, 3> row;
    for (int i = 0; i < 10; ++i) {
        const std::span<const int> seen = row;
        EXPECT_TRUE(std::equal(seen.begin(), seen.end(), expected.begin(), expected.end())) << i;
        row.push_back(i * i);
        expected.push_back(i * i);
    }
    EXPECT_EQ(row[9], 81);
    EXPECT_EQ(row, (Few<int, 3>(expected)));
}

TEST(Few, CopiesAreApart) {
    for (const size_t count : {2, 5}) {
        Few<int, 3> row(std::vector<int>(count, 1));
        Few<int, 3> copy = row;
        *copy.begin() = 2;
        EXPECT_EQ(row[0], 1);
        EXPECT_FALSE(copy == row);
        row = copy;
        EXPECT_EQ(row, copy);
        copy.push_back(3);
        EXPECT_EQ(row.size(), count);
    }
}

}  // namespace
}  // namespace quarry
