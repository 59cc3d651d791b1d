#include "analyze/external_data.hpp"

#include <gtest/gtest.h>

namespace quarry::analyze {
namespace {

TEST(ExternalDataTest, SplitsASelectionBetweenFiles) {
    const auto data = external_data_of(
        R"({"type":"int32","size":4,"shape":[3,10],"layout":"contiguous","external":)"
        R"([{"file":"a","offset":7,"size":50},{"file":"b","offset":0,"size":null}]})");
    ASSERT_TRUE(data);
    EXPECT_EQ(data->bytes_in_parts({}), (std::vector<uint64_t>{50, 70}));
    // Elements 12 and 13 of the second row's first four: bytes 48 to 56.
    const Selection some{Selection::Kind::Regular, 2, {{1, 1, 1, 1}, {2, 1, 1, 2}}, {}};
    EXPECT_EQ(data->bytes_in_parts(some), (std::vector<uint64_t>{2, 6}));
}

TEST(ExternalDataTest, NeedsADescriptionOfSuchData) {
    for (const char* text : {"", "{}", R"({"shape":[1],"size":4})", R"({"external":1,"shape":[1]})",
                             R"("external")", R"({"external":["x"],"shape":[1],"size":4})",
                             R"({"external":[{"file":1}],"shape":[1],"size":4})",
                             R"({"external":[],"shape":[-1],"size":"x"})"})
        EXPECT_FALSE(external_data_of(text)) << text;
}

}  // namespace
}  // namespace quarry::analyze
