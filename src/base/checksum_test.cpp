#include "base/checksum.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <vector>

namespace quarry {
namespace {

uint64_t checksum(std::span<const std::byte> bytes) {
    Checksum made;
    made.add(bytes);
    return made.value();
}

TEST(ChecksumTest, IsTheSameInAnyPieces) {
    const char* seed = std::getenv("QUARRY_SEED");
    std::mt19937_64 dice(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1);
    std::vector<std::byte> bytes(1000);
    for (std::byte& one : bytes) one = static_cast<std::byte>(dice());
    for (int i = 0; i < 200; ++i) {
        Checksum made;
        for (size_t at = 0; at < bytes.size();) {
            const size_t size = std::min<size_t>(bytes.size() - at, dice() % 40);
            made.add(std::span(bytes).subspan(at, size));
            at += size;
        }
        EXPECT_EQ(made.value(), checksum(bytes));
    }
}

TEST(ChecksumTest, EveryBitAndTheLengthCount) {
    std::vector<std::byte> bytes(19);
    std::set<uint64_t> seen;
    for (size_t size = 0; size <= bytes.size(); ++size)
        EXPECT_TRUE(seen.insert(checksum(std::span(bytes).first(size))).second);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        EXPECT_TRUE(seen.insert(checksum(bytes)).second);
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
}

}  // namespace
}  // namespace quarry
