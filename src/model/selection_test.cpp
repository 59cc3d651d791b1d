#include "model/selection.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quarry {
namespace {

using Kind = Selection::Kind;

Selection regular(std::vector<Steps> steps) {
    const auto rank = static_cast<uint8_t>(steps.size());
    return {Kind::Regular, rank, std::move(steps), {}};
}

// Of every magnitude, small ones more often.
uint64_t any_number(std::mt19937_64& random) {
    return random() >> (random() % 64);
}

Selection any_selection(std::mt19937_64& random) {
    Selection selection;
    selection.kind = static_cast<Kind>(random() % 5);
    selection.rank = static_cast<uint8_t>(1 + random() % 32);
    if (selection.kind == Kind::All || selection.kind == Kind::None) return selection;
    if (selection.kind == Kind::Regular) {
        for (int i = 0; i < selection.rank; ++i) {
            const bool plain = random() % 2 == 0;
            selection.steps.push_back({any_number(random), plain ? 1 : any_number(random),
                                       any_number(random) >> 1, plain ? 1 : any_number(random)});
        }
        return selection;
    }
    const size_t group = selection.kind == Kind::Blocks ? 2 * selection.rank : selection.rank;
    const size_t groups = random() % 20;
    for (size_t i = 0; i < group * groups; ++i) selection.corners.push_back(any_number(random));
    return selection;
}

TEST(SelectionTest, ReadsBackWhatItWrote) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 5000; ++i) {
        const Selection selection = any_selection(random);
        const auto back = decode_selection(encode(selection));
        ASSERT_TRUE(back) << to_string(selection);
        EXPECT_EQ(*back, selection);
    }
}

TEST(SelectionTest, AnyBytesAreReadOrRefused) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20000; ++i) {
        const EncodedSelection whole = encode(any_selection(random));
        std::vector<std::byte> bytes(whole.begin(), whole.end());
        for (int change = 0; change < 3; ++change) {
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        bytes.resize(random() % (bytes.size() + 1));
        if (const auto selection = decode_selection(bytes)) {
            EXPECT_LE(encode(*selection).size(), bytes.size() + 640);
            (void)elements_of(*selection);
            (void)to_string(*selection);
        }
    }
    EXPECT_FALSE(decode_selection({}));
    const std::vector<std::byte> points_of_no_dimension{std::byte{4}, std::byte{0}, std::byte{1}};
    EXPECT_FALSE(decode_selection(points_of_no_dimension));
}

TEST(SelectionTest, UsualOnesFitIntoOneRecord) {
    EXPECT_LE(encode({}).size(), 12u);
    EXPECT_LE(encode(regular({{0, 1, 100, 1}})).size(), 12u);
    EXPECT_LE(encode(regular({{5000, 1, 1, 1}, {0, 1, 60, 1}, {0, 1, 50, 1}})).size(), 12u);
}

TEST(SelectionTest, CountsElements) {
    EXPECT_EQ(elements_of(regular({{0, 1, 10, 1}, {3, 5, 2, 4}})), 80u);
    EXPECT_EQ(elements_of({Kind::Blocks, 2, {}, {0, 0, 1, 1, 5, 5, 5, 9}}), 9u);
    EXPECT_EQ(elements_of({Kind::Points, 2, {}, {0, 0, 1, 1, 5, 5}}), 3u);
    EXPECT_EQ(elements_of({Kind::None, 2, {}, {}}), 0u);
}

TEST(SelectionTest, ReadsLikePython) {
    EXPECT_EQ(to_string(Selection()), "all");
    EXPECT_EQ(to_string(regular({{0, 1, 10, 1}, {7, 1, 1, 1}, {0, 2, 50, 1}, {0, 10, 2, 3}})),
              "[0:10, 7, 0:99:2, 0:13:10 by 3]");
    EXPECT_EQ(to_string({Kind::Points, 2, {}, {1, 2}}), "1 point");
    EXPECT_EQ(to_string({Kind::Blocks, 1, {}, {1, 2, 5, 6}}), "2 blocks");
}

}  // namespace
}  // namespace quarry
