#include "base/workplace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temporary_directory.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

class WorkplaceTest : public testing::Test {
protected:
    void put_into(const fs::path& there, const std::string& name) {
        fs::create_directories(there);
        std::ofstream(there / name) << name;
    }

    Workplace made() {
        auto workplace = Workplace::beside(place_);
        put_into(workplace->path(), "new");
        return std::move(*workplace);
    }

    // Beside the place itself.
    bool is_anything_left() const {
        return std::distance(fs::directory_iterator(folder_->path()), {}) > 1;
    }

    Result<TemporaryDirectory> folder_ = TemporaryDirectory::create();
    const fs::path place_ = fs::path(folder_->path()) / "place";
};

std::string never(const std::string&) {
    return "";
}

TEST_F(WorkplaceTest, WhatIsThereStaysUnlessItMayBeReplaced) {
    put_into(place_, "old");
    EXPECT_FALSE(made().put());
    EXPECT_FALSE(made().put([](const std::string&) { return "it is mine"; }));
    EXPECT_TRUE(fs::exists(place_ / "old"));
    EXPECT_TRUE(made().put(never));
    EXPECT_TRUE(fs::exists(place_ / "new") && !fs::exists(place_ / "old"));
    EXPECT_FALSE(is_anything_left());
}

TEST_F(WorkplaceTest, WhatCameIntoItJustThenStays) {
    put_into(place_, "old");
    const auto put = made().put([&](const std::string& there) -> std::string {
        if (fs::exists(fs::path(there) / "mine")) return "it holds something";
        put_into(there, "mine");
        return "";
    });
    ASSERT_FALSE(put);
    EXPECT_NE(put.error().message.find("place was changed by somebody else"), std::string::npos);
    EXPECT_TRUE(fs::exists(place_ / "old") && fs::exists(place_ / "mine"));
    EXPECT_FALSE(fs::exists(place_ / "new"));
    EXPECT_FALSE(is_anything_left());
}

}  // namespace
}  // namespace quarry
