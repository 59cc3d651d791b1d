#include "model/grid.hpp"

#include <gtest/gtest.h>

#include <random>

#include "model/shape.hpp"

namespace quarry {
namespace {

// The same, element by element.
std::vector<double> averages_of(const Grid& grid, const std::vector<int>& counts) {
    const size_t cells = size_t{grid.rows().parts} * grid.columns().parts;
    std::vector<double> sums(cells, 0);
    std::vector<double> elements(cells, 0);
    for (size_t i = 0; i < counts.size(); ++i) {
        std::vector<uint64_t> place(grid.shape().size());
        size_t rest = i;
        for (size_t d = place.size(); d-- > 0; rest /= grid.shape()[d])
            place[d] = rest % grid.shape()[d];
        const uint32_t row =
            place.size() > 1 ? grid.rows().part_of(place[grid.rows().dimension]) : 0;
        const uint32_t column =
            place.empty() ? 0 : grid.columns().part_of(place[grid.columns().dimension]);
        const size_t cell = size_t{row} * grid.columns().parts + column;
        sums[cell] += counts[i];
        elements[cell] += 1;
    }
    for (size_t i = 0; i < cells; ++i) sums[i] /= elements[i];
    return sums;
}

TEST(Grid, CountsWhatElementByElementIsCounted) {
    const unsigned seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    std::mt19937 draw(seed);
    for (int round = 0; round < 200; ++round) {
        std::vector<uint64_t> shape(draw() % 5);
        for (uint64_t& size : shape)
            size = 1 + draw() % (shape.size() == 1 ? 1000 : 90 / shape.size());
        Grid grid(shape);
        const uint64_t all = elements_in(shape);
        std::vector<int> counts(all);
        for (int run = 0; run < 20; ++run) {
            const uint64_t first = draw() % all;
            const uint64_t count = draw() % (all - first + 1);
            grid.add(first, count);
            for (uint64_t i = first; i < first + count; ++i) ++counts[i];
        }
        const std::vector<double> expected = averages_of(grid, counts);
        const std::vector<double> found = grid.averages();
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[i], 1e-9) << "seed " << seed << " round " << round;
    }
}

TEST(Grid, LooksAtTheTwoLongestDimensions) {
    const Grid grid({3, 100, 7, 2000});
    EXPECT_EQ(grid.rows().dimension, 1U);
    EXPECT_EQ(grid.columns().dimension, 3U);
    EXPECT_LE(grid.rows().parts, 100U);
}

TEST(Grid, IsNotMovedByShapesThatNothingFitsInto) {
    Grid huge({uint64_t{1} << 40, uint64_t{1} << 20});
    huge.add(0, uint64_t{1} << 60);
    for (const double average : huge.averages()) EXPECT_DOUBLE_EQ(average, 1);
    Grid empty({0, 5});
    empty.add(0, 1);
    EXPECT_EQ(empty.averages(), std::vector<double>(empty.averages().size(), 0));
}

}  // namespace
}  // namespace quarry
