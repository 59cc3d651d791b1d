#include "base/sha256.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace quarry {
namespace {

// From FIPS 180-4's examples.
constexpr const char* kOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256Test, IsWhatOthersHave) {
    EXPECT_EQ(sha256_of(""), kOfNothing);
    EXPECT_EQ(sha256_of("abc"), kOfAbc);
}

TEST(Sha256Test, IsTheSameInPieces) {
    Sha256 sum;
    for (const char letter : {'a', 'b', 'c'}) sum.add(std::as_bytes(std::span(&letter, 1)));
    EXPECT_EQ(sum.digits(), kOfAbc);
}

TEST(Sha256Test, OfAFile) {
    std::string path = testing::TempDir() + "sha256-XXXXXX";
    close(mkstemp(path.data()));
    std::ofstream(path) << "abc";
    const auto sum = sha256_of_file(path);
    unlink(path.c_str());
    ASSERT_TRUE(sum);
    EXPECT_EQ(*sum, kOfAbc);
    EXPECT_FALSE(sha256_of_file(path));
}

}  // namespace
}  // namespace quarry
