#include "base/whole_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_directory.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

TEST(WholePathTest, HasNoSlashAtItsEnd) {
    EXPECT_EQ(*whole_path("/not/there//"), "/not/there");
    EXPECT_EQ(*whole_path("/not/../there/."), "/there");
    EXPECT_EQ(*whole_path("/"), "/");
    EXPECT_EQ(*whole_path("here/"), (fs::current_path() / "here").string());
    EXPECT_EQ(*whole_path("."), fs::current_path().string());
}

TEST(WholePathTest, LinksToDirectoriesAreFollowed) {
    const TemporaryDirectory made = *TemporaryDirectory::create();
    const fs::path folder = fs::canonical(made.path());
    fs::create_directory(folder / "far");
    fs::create_directory_symlink("far", folder / "link");
    fs::create_symlink("nowhere", folder / "dangling");
    EXPECT_EQ(*whole_path(folder / "link"), (folder / "far").string());
    EXPECT_EQ(*whole_path((folder / "link").string() + "/"), (folder / "far").string());
    EXPECT_EQ(*whole_path(folder / "dangling"), (folder / "dangling").string());
}

TEST(WholePathTest, OfNothingThereIsNone) {
    EXPECT_FALSE(whole_path(""));
}

}  // namespace
}  // namespace quarry
