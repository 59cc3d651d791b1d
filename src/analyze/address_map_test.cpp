#include "analyze/address_map.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace quarry::analyze {
namespace {

using Parts = std::vector<std::tuple<uint32_t, uint64_t, uint64_t>>;

Parts parts_of(const AddressMap& map, uint64_t address, uint64_t size) {
    Parts parts;
    map.each_metadata(address, size, [&](uint32_t object, uint64_t begin, uint64_t end) {
        parts.emplace_back(object, begin, end);
    });
    return parts;
}

TEST(AddressMap, MetadataReachesToTheNext) {
    AddressMap map;
    map.claim_header(200, 1);
    map.claim_header(500, 2);
    map.claim_metadata(600, 1);
    map.claim_superblock(0);
    EXPECT_EQ(parts_of(map, 0, 700), (Parts{{kFileItself, 0, 96},
                                            {kNobody, 96, 200},
                                            {1, 200, 500},
                                            {2, 500, 600},
                                            {1, 600, 700}}));
    EXPECT_EQ(parts_of(map, 250, 10), (Parts{{1, 250, 260}}));
    EXPECT_EQ(parts_of(map, 500, 100), (Parts{{2, 500, 600}}));
    EXPECT_EQ(parts_of(map, 10'000, 5), (Parts{{1, 10'000, 10'005}}));
}

TEST(AddressMap, NeighboursOfOneOwnerAreOnePart) {
    AddressMap map;
    map.claim_header(100, 7);
    map.claim_metadata(200, 7);
    map.claim_metadata(300, 7);
    EXPECT_EQ(parts_of(map, 150, 1000), (Parts{{7, 150, 1150}}));
}

TEST(AddressMap, HeadersSayMoreThanRoom) {
    AddressMap map;
    map.claim_metadata(100, 1);
    map.claim_header(100, 2);
    map.claim_metadata(100, 3);
    EXPECT_EQ(parts_of(map, 100, 10), (Parts{{2, 100, 110}}));
    EXPECT_EQ(map.header_owner(90, 20), 2u);
    map.claim_header(105, 4);
    EXPECT_EQ(map.header_owner(90, 20), std::nullopt);
}

TEST(AddressMap, WhatTheSuperblockLeavesIsTheRootGroups) {
    AddressMap map;
    map.claim_metadata(0, 5);
    map.claim_superblock(0);
    EXPECT_EQ(parts_of(map, 0, 200), (Parts{{kFileItself, 0, 96}, {5, 96, 200}}));
    AddressMap newer;
    newer.claim_metadata(0, 5);
    newer.claim_header(48, 5);
    newer.claim_superblock(0);
    EXPECT_EQ(parts_of(newer, 0, 200), (Parts{{kFileItself, 0, 48}, {5, 48, 200}}));
}

TEST(AddressMap, LaterClaimsToDataWin) {
    AddressMap map;
    map.claim(100, 100, 1);
    map.claim(150, 10, 2);
    EXPECT_EQ(map.owner(100, 50), 1u);
    EXPECT_EQ(map.owner(150, 10), 2u);
    EXPECT_EQ(map.owner(160, 40), 1u);
    EXPECT_EQ(map.owner(140, 20), std::nullopt);
    EXPECT_EQ(map.owner(300, 20), std::nullopt);
}

}  // namespace
}  // namespace quarry::analyze
