#include "base/directory_lock.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_directory.hpp"

namespace quarry {
namespace {

using Kind = DirectoryLock::Kind;

TEST(DirectoryLockTest, UsersExcludeWhoeverReplacesIt) {
    const auto folder = TemporaryDirectory::create();
    ASSERT_TRUE(folder);
    auto one = DirectoryLock::try_to_take(folder->path(), Kind::Shared);
    const auto other = DirectoryLock::try_to_take(folder->path(), Kind::Shared);
    EXPECT_TRUE(one && other);
    EXPECT_FALSE(DirectoryLock::try_to_take(folder->path(), Kind::Alone));
}

TEST(DirectoryLockTest, WhoeverReplacesItExcludesAll) {
    const auto folder = TemporaryDirectory::create();
    ASSERT_TRUE(folder);
    {
        const auto alone = DirectoryLock::try_to_take(folder->path(), Kind::Alone);
        EXPECT_TRUE(alone);
        EXPECT_FALSE(DirectoryLock::try_to_take(folder->path(), Kind::Alone));
        EXPECT_FALSE(DirectoryLock::try_to_take(folder->path(), Kind::Shared));
    }
    EXPECT_TRUE(DirectoryLock::try_to_take(folder->path(), Kind::Shared));
}

TEST(DirectoryLockTest, IsOfTheDirectoryThatIsThere) {
    namespace fs = std::filesystem;
    const auto folder = TemporaryDirectory::create();
    ASSERT_TRUE(folder);
    const fs::path place = fs::path(folder->path()) / "place";
    fs::create_directory(place);
    const auto before = DirectoryLock::try_to_take(place, Kind::Alone);
    EXPECT_TRUE(before->is_on(place));
    fs::rename(place, fs::path(folder->path()) / "elsewhere");
    EXPECT_FALSE(before->is_on(place));
    fs::create_directory(place);
    EXPECT_TRUE(DirectoryLock::try_to_take(place, Kind::Alone));
    EXPECT_FALSE(before->is_on(place));
    EXPECT_TRUE(DirectoryLock::try_to_take(place / "nowhere", Kind::Alone));
}

}  // namespace
}  // namespace quarry
