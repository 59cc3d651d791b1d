#include "model/intervals.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quarry {
namespace {

constexpr uint64_t kNumbers = 200;

TEST(Intervals, AreWhatAnArrayOfNumbersSays) {
    const unsigned seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    std::mt19937 draw(seed);
    for (int round = 0; round < 200; ++round) {
        IntervalSet set;
        IntervalMap<int> map;
        std::vector<int> truth(kNumbers, -1);
        for (int step = 0; step < 100; ++step) {
            const uint64_t begin = draw() % kNumbers;
            const uint64_t end = begin + draw() % (kNumbers - begin + 1);
            const int owner = static_cast<int>(draw() % 4);
            set.add(begin, end);
            map.claim(begin, end, owner);
            for (uint64_t i = begin; i < end; ++i) truth[i] = owner;

            const uint64_t from = draw() % kNumbers;
            const uint64_t to = from + draw() % (kNumbers - from + 1);
            std::vector<int> found(kNumbers, -1);
            map.each(from, to, [&](uint64_t first, uint64_t last, int whose) {
                EXPECT_LT(first, last);
                for (uint64_t i = first; i < last; ++i) found[i] = whose;
            });
            for (uint64_t i = 0; i < kNumbers; ++i)
                ASSERT_EQ(found[i], i >= from && i < to ? truth[i] : -1) << "seed " << seed;
        }
        const auto covered =
            std::count_if(truth.begin(), truth.end(), [](int n) { return n >= 0; });
        EXPECT_EQ(set.count(), static_cast<uint64_t>(covered)) << "seed " << seed;
        uint64_t reached = 0;
        set.each([&](uint64_t first, uint64_t last) {
            EXPECT_TRUE(reached == 0 || first > reached);
            reached = last;
        });
    }
}

}  // namespace
}  // namespace quarry
