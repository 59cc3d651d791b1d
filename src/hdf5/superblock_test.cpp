#include "hdf5/superblock.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <string>
#include <vector>

namespace quarry::hdf5 {
namespace {

std::vector<std::byte> first_bytes_of(H5F_libver_t low, size_t count) {
    const std::string path = testing::TempDir() + "superblock.h5";
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST);
    H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
    H5Pclose(access);
    std::vector<char> bytes(count);
    std::ifstream(path).read(bytes.data(), static_cast<std::streamsize>(count));
    const auto read = std::as_bytes(std::span(bytes));
    return {read.begin(), read.end()};
}

TEST(Superblock, HasTheSizeThatHdf5WritesForItsVersion) {
    EXPECT_EQ(superblock_size(first_bytes_of(H5F_LIBVER_EARLIEST, 200)), 96u);
    EXPECT_EQ(superblock_size(first_bytes_of(H5F_LIBVER_V18, 200)), 48u);
    EXPECT_EQ(superblock_size(first_bytes_of(H5F_LIBVER_LATEST, 200)), 48u);
}

TEST(Superblock, IsAloneWhereNothingLiesBehindIt) {
    EXPECT_TRUE(is_only_superblock(first_bytes_of(H5F_LIBVER_EARLIEST, 96)));
    EXPECT_FALSE(is_only_superblock(first_bytes_of(H5F_LIBVER_EARLIEST, 97)));
    EXPECT_TRUE(is_only_superblock(first_bytes_of(H5F_LIBVER_LATEST, 48)));
    EXPECT_FALSE(is_only_superblock(first_bytes_of(H5F_LIBVER_LATEST, 96)));
}

TEST(Superblock, IsNotInOtherBytes) {
    EXPECT_FALSE(is_only_superblock({}));
    std::vector<std::byte> bytes = first_bytes_of(H5F_LIBVER_LATEST, 48);
    EXPECT_FALSE(is_only_superblock(std::span(bytes).first(8)));
    bytes[8] = std::byte{9};
    EXPECT_FALSE(is_only_superblock(bytes));
    bytes[0] = std::byte{0};
    EXPECT_FALSE(is_only_superblock(bytes));
}

}  // namespace
}  // namespace quarry::hdf5
