#include <gtest/gtest.h>

#include <quarry/suggest.hpp>

namespace quarry {
namespace {

const std::vector<std::string> kVerbs{"run", "env", "doctor", "completion"};

TEST(Suggest, FindsTheWordThatWasMeant) {
    EXPECT_EQ(suggest("rnu", kVerbs), "run");
    EXPECT_EQ(suggest("docter", kVerbs), "doctor");
    EXPECT_EQ(suggest("doc", kVerbs), "doctor");
    EXPECT_EQ(suggest("completions", kVerbs), "completion");
}

TEST(Suggest, IsSilentWhenNothingIsNear) {
    EXPECT_EQ(suggest("frobnicate", kVerbs), std::nullopt);
    EXPECT_EQ(suggest("", kVerbs), std::nullopt);
    EXPECT_EQ(suggest("xyz", kVerbs), std::nullopt);
    EXPECT_EQ(suggest("run", {}), std::nullopt);
}

TEST(EditDistance, CountsSwapsOnce) {
    EXPECT_EQ(edit_distance("run", "run"), 0u);
    EXPECT_EQ(edit_distance("rnu", "run"), 1u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace quarry
