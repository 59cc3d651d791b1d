#include "model/selection_runs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace quarry {
namespace {

std::vector<uint64_t> elements(const Selection& selection, const std::vector<uint64_t>& shape) {
    std::vector<uint64_t> found;
    each_run(selection, shape, [&](uint64_t first, uint64_t count) {
        for (uint64_t i = 0; i < count; ++i) found.push_back(first + i);
        return true;
    });
    return found;
}

TEST(SelectionRunsTest, WholeAndNothing) {
    EXPECT_EQ(elements({}, {2, 3}), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(elements({Selection::Kind::None, 2, {}, {}}, {2, 3}), std::vector<uint64_t>{});
    EXPECT_EQ(elements({}, {0, 3}), std::vector<uint64_t>{});
    EXPECT_EQ(elements({}, {}), std::vector<uint64_t>{0});
}

TEST(SelectionRunsTest, BlocksAndPoints) {
    EXPECT_EQ(elements({Selection::Kind::Blocks, 2, {}, {0, 1, 1, 2}}, {3, 4}),
              (std::vector<uint64_t>{1, 2, 5, 6}));
    EXPECT_EQ(elements({Selection::Kind::Points, 2, {}, {2, 3, 0, 0}}, {3, 4}),
              (std::vector<uint64_t>{11, 0}));
}

TEST(SelectionRunsTest, LeavesOutWhatTheShapeHasNot) {
    EXPECT_EQ(elements({Selection::Kind::Regular, 1, {{2, 3, 5, 2}}, {}}, {7}),
              (std::vector<uint64_t>{2, 3, 5, 6}));
}

TEST(SelectionRunsTest, WholeRowsAreOneRun) {
    size_t runs = 0;
    each_run({Selection::Kind::Regular, 3, {{1, 1, 2, 1}, {0, 1, 5, 1}, {0, 1, 7, 1}}, {}},
             std::vector<uint64_t>{4, 5, 7}, [&](uint64_t first, uint64_t count) {
                 EXPECT_EQ(first, 35u);
                 EXPECT_EQ(count, 70u);
                 ++runs;
                 return true;
             });
    EXPECT_EQ(runs, 1u);
}

TEST(SelectionRunsTest, DamagedOnesEnd) {
    const uint64_t most = ~uint64_t{0};
    for (const Steps& steps : {Steps{0, 0, most, 1}, Steps{5, most, most, most},
                               Steps{most, most, most, most}, Steps{3, 1, most, most}}) {
        elements({Selection::Kind::Regular, 1, {steps}, {}}, {9});
        elements({Selection::Kind::Regular, 2, {steps, steps}, {}}, {9, 3});
    }
}

TEST(SelectionRunsTest, RegularOnesAreWhatTheyMean) {
    const char* given = std::getenv("QUARRY_SEED");
    const auto seed = given != nullptr ? std::stoul(given) : std::random_device()();
    SCOPED_TRACE("QUARRY_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int run = 0; run < 2000; ++run) {
        std::vector<uint64_t> shape(1 + random() % 3);
        Selection selection{Selection::Kind::Regular, static_cast<uint8_t>(shape.size()), {}, {}};
        for (uint64_t& size : shape) {
            size = 1 + random() % 12;
            const uint64_t block = 1 + random() % 3;
            selection.steps.push_back(
                {random() % size, block + random() % 3, 1 + random() % 4, block});
        }
        std::vector<uint64_t> expected;
        uint64_t all = 1;
        for (const uint64_t size : shape) all *= size;
        for (uint64_t number = 0; number < all; ++number) {
            uint64_t rest = number;
            bool inside = true;
            for (size_t i = shape.size(); i-- > 0;) {
                const uint64_t at = rest % shape[i];
                rest /= shape[i];
                const Steps& steps = selection.steps[i];
                inside &= at >= steps.start && (at - steps.start) / steps.stride < steps.count &&
                          (at - steps.start) % steps.stride < steps.block;
            }
            if (inside) expected.push_back(number);
        }
        EXPECT_EQ(elements(selection, shape), expected);
    }
}

}  // namespace
}  // namespace quarry
