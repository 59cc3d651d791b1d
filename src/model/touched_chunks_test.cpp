#include "model/touched_chunks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "model/selection_runs.hpp"

namespace quarry {
namespace {

using Offsets = std::set<std::vector<uint64_t>>;

// Element by element.
Offsets expected(const Selection& selection, const std::vector<uint64_t>& shape,
                 const std::vector<uint64_t>& chunk) {
    Offsets found;
    each_run(selection, shape, [&](uint64_t first, uint64_t count) {
        for (uint64_t element = first; element < first + count; ++element) {
            std::vector<uint64_t> offset(shape.size());
            uint64_t rest = element;
            for (size_t i = shape.size(); i-- > 0; rest /= shape[i])
                offset[i] = rest % shape[i] / chunk[i] * chunk[i];
            found.insert(offset);
        }
        return true;
    });
    return found;
}

Offsets touched(const Selection& selection, const std::vector<uint64_t>& shape,
                const std::vector<uint64_t>& chunk) {
    Offsets found;
    if (!each_touched_chunk(selection, shape, chunk,
                            [&](const std::vector<uint64_t>& offset) { found.insert(offset); }))
        return expected({}, shape, chunk);
    return found;
}

TEST(TouchedChunksTest, AreThoseOfTheSelectedElements) {
    const char* seed = std::getenv("QUARRY_SEED");
    std::mt19937_64 dice(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1);
    const auto draw = [&](uint64_t most) { return dice() % most; };
    for (int round = 0; round < 3000; ++round) {
        const size_t rank = 1 + draw(3);
        std::vector<uint64_t> shape, chunk;
        Selection selection;
        selection.rank = static_cast<uint8_t>(rank);
        selection.kind = std::vector{Selection::Kind::Regular, Selection::Kind::Blocks,
                                     Selection::Kind::Points}[draw(3)];
        for (size_t i = 0; i < rank; ++i) {
            shape.push_back(1 + draw(20));
            chunk.push_back(1 + draw(7));
            const uint64_t block = 1 + draw(4);
            if (selection.kind == Selection::Kind::Regular)
                selection.steps.push_back({draw(shape[i]), block + draw(9), 1 + draw(6), block});
        }
        for (uint64_t one = 0; one < 3 && selection.kind != Selection::Kind::Regular; ++one) {
            std::vector<uint64_t> first, last;
            for (const uint64_t size : shape) {
                first.push_back(draw(size));
                last.push_back(first.back() + draw(size - first.back()));
            }
            selection.corners.insert(selection.corners.end(), first.begin(), first.end());
            if (selection.kind == Selection::Kind::Blocks)
                selection.corners.insert(selection.corners.end(), last.begin(), last.end());
        }
        ASSERT_EQ(touched(selection, shape, chunk), expected(selection, shape, chunk))
            << to_string(selection) << " in round " << round;
    }
}

TEST(TouchedChunksTest, WhatDoesNotFitIsNotGuessed) {
    const std::vector<uint64_t> shape{10, 10}, chunk{5, 0}, other{5};
    const auto give = [](const std::vector<uint64_t>&) {};
    const Selection one{Selection::Kind::Points, 2, {}, {1, 1}};
    EXPECT_FALSE(each_touched_chunk(one, shape, chunk, give));
    EXPECT_FALSE(each_touched_chunk(one, shape, other, give));
    EXPECT_FALSE(each_touched_chunk({}, shape, std::vector<uint64_t>{5, 5}, give));
}

TEST(TouchedChunksTest, DamagedOnesEnd) {
    const uint64_t most = ~uint64_t{0};
    for (const Steps& steps : {Steps{0, 0, most, 1}, Steps{5, most, most, most},
                               Steps{most, most, most, most}, Steps{3, 1, most, most}})
        touched({Selection::Kind::Regular, 1, {steps}, {}}, {9}, {2});
}

}  // namespace
}  // namespace quarry
