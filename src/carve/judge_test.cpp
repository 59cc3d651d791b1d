#include "carve/judge.hpp"

#include <gtest/gtest.h>

namespace quarry::carve_files {
namespace {

constexpr hdf5::ObjectToken kToken{1};

CarveOptions by_chunk() {
    CarveOptions options;
    options.granularity = CarveOptions::Granularity::Chunk;
    options.keep_below = 0;
    return options;
}

hdf5::CopiedDataset dataset(const std::string& path = "/a") {
    hdf5::CopiedDataset made;
    made.token = kToken;
    made.paths = {path};
    made.stored = 100;
    return made;
}

TEST(Judge, UsesOfADatasetAddUp) {
    InputFile input;
    input.read = {{kToken, "/a", false, {{0}}, ""}, {kToken, "/a", false, {{10}}, ""}};
    const CarveOptions options = by_chunk();
    const Judge judge(input, options);
    EXPECT_EQ(judge.judge(dataset()).part, hdf5::Part::Chunks);
    for (const uint64_t first : {0, 10})
        EXPECT_TRUE(judge.was_read(dataset(), std::span(&first, 1))) << first;
    const uint64_t other = 20;
    EXPECT_FALSE(judge.was_read(dataset(), std::span(&other, 1)));
}

TEST(Judge, ADatasetThatWasReadWholeOnceIsKeptWhole) {
    InputFile input;
    input.read = {{kToken, "/a", false, {{0}}, ""}, {kToken, "/a", true, {}, "it was read"}};
    const CarveOptions options = by_chunk();
    EXPECT_EQ(Judge(input, options).judge(dataset()).part, hdf5::Part::Whole);
}

// With a look at each use for each chunk this would not end in reasonable time.
TEST(Judge, ThousandsOfUsesOfThousandsOfChunks) {
    constexpr uint64_t kMany = 100'000;
    InputFile input;
    for (uint64_t first = 0; first < kMany; ++first)
        input.read.push_back({kToken, "/a", false, {{2 * first}}, ""});
    const CarveOptions options = by_chunk();
    const Judge judge(input, options);
    uint64_t found = 0;
    for (uint64_t first = 0; first < 2 * kMany; ++first)
        found += judge.was_read(dataset(), std::span(&first, 1)) ? 1 : 0;
    EXPECT_EQ(found, kMany);
}

}  // namespace
}  // namespace quarry::carve_files
