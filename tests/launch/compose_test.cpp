#include "launch/compose.hpp"

#include <gtest/gtest.h>

namespace quarry {
namespace {

const std::string kPlugins = "/opt/quarry/lib/quarry";

Environment composed(const Environment& before, const LaunchOptions& options = {}) {
    const auto changes = compose_connector(before, options, kPlugins);
    EXPECT_TRUE(changes) << (changes ? "" : changes.error().message);
    return changes ? with_changes(before, *changes) : Environment{};
}

TEST(Compose, NotesThatNoPathWasSet) {
    const Environment after = composed({});
    EXPECT_EQ(after.get("HDF5_PLUGIN_PATH"), kPlugins);
    EXPECT_EQ(after.get("QUARRY_PLUGIN_PATH_UNSET"), "1");
    EXPECT_EQ(after.get("HDF5_VOL_CONNECTOR"), "quarry bytes=on");
}

TEST(Compose, AppendsToWhatTheUserHasSet) {
    const Environment after = composed(Environment::of({{"HDF5_PLUGIN_PATH", "/mine::/other:"}}));
    EXPECT_EQ(after.get("HDF5_PLUGIN_PATH"), "/mine::/other::/opt/quarry/lib/quarry");
    EXPECT_EQ(after.get("QUARRY_PLUGIN_PATH_UNSET"), std::nullopt);
}

TEST(Compose, TakesAnEmptyPathForWhatItSays) {
    const Environment after = composed(Environment::of({{"HDF5_PLUGIN_PATH", ""}}));
    EXPECT_EQ(after.get("HDF5_PLUGIN_PATH"), kPlugins);
    EXPECT_EQ(after.get("QUARRY_PLUGIN_PATH_UNSET"), std::nullopt);
}

TEST(Compose, ChangesNothingTheSecondTime) {
    LaunchOptions options;
    options.witness = "/tmp/proof";
    const Environment once = composed({}, options);
    EXPECT_EQ(composed(once).entries(), once.entries());
}

TEST(Compose, NoticesThatThePathWasSetAnewInsideAnOuterRun) {
    Environment inside = composed({});
    inside.set("HDF5_PLUGIN_PATH", "/mine");
    EXPECT_EQ(composed(inside).get("QUARRY_PLUGIN_PATH_UNSET"), std::nullopt);
}

TEST(Compose, StandsOnTheConnectorThatIsSetAlready) {
    const Environment before =
        Environment::of({{"HDF5_VOL_CONNECTOR", "pass_through under_vol=0;under_info={}"}});
    EXPECT_EQ(composed(before).get("HDF5_VOL_CONNECTOR"),
              "quarry bytes=on;under=pass_through;under_info={under_vol=0;under_info={}}");
}

TEST(Compose, NeedsNothingForTheNativeConnector) {
    for (const char* value : {"native", "", "  native  "})
        EXPECT_EQ(
            composed(Environment::of({{"HDF5_VOL_CONNECTOR", value}})).get("HDF5_VOL_CONNECTOR"),
            "quarry bytes=on");
}

TEST(Compose, OptionsReplaceThoseOfAnOuterRun) {
    LaunchOptions outer;
    outer.witness = "/tmp/outer";
    outer.under = "pass_through";
    LaunchOptions inner;
    inner.witness = "/tmp/inner";
    inner.bytes = false;
    EXPECT_EQ(composed(composed({}, outer), inner).get("HDF5_VOL_CONNECTOR"),
              "quarry bytes=off;under=pass_through;witness={/tmp/inner}");
}

TEST(Compose, UnderNativeTakesTheConnectorBelowAway) {
    LaunchOptions options;
    options.under = "native";
    const Environment before =
        Environment::of({{"HDF5_VOL_CONNECTOR", "pass_through under_vol=0"}});
    EXPECT_EQ(composed(before, options).get("HDF5_VOL_CONNECTOR"), "quarry bytes=on");
}

TEST(Compose, RefusesWhatItCannotSay) {
    LaunchOptions options;
    options.witness = "/tmp/a}b";
    EXPECT_FALSE(compose_connector({}, options, kPlugins));
    options.witness = "/tmp/a\nb";
    EXPECT_FALSE(compose_connector({}, options, kPlugins));
    EXPECT_FALSE(compose_connector({}, {}, "/opt/a:b"));
}

TEST(ComposeAside, TakesAnOuterQuarryOut) {
    const Environment outer = composed({});
    const Environment after = with_changes(outer, compose_aside(outer));
    EXPECT_EQ(after.get("HDF5_VOL_CONNECTOR"), std::nullopt);
}

TEST(ComposeAside, GivesBackTheConnectorThatQuarryStoodOn) {
    const Environment before =
        Environment::of({{"HDF5_VOL_CONNECTOR", "pass_through under_vol=0;under_info={}"}});
    const Environment outer = composed(before);
    EXPECT_EQ(with_changes(outer, compose_aside(outer)).get("HDF5_VOL_CONNECTOR"),
              before.get("HDF5_VOL_CONNECTOR"));
}

TEST(ComposeAside, LeavesTheConnectorsOfOthersAlone) {
    EXPECT_TRUE(compose_aside(Environment::of({{"HDF5_VOL_CONNECTOR", "async x"}})).empty());
    EXPECT_TRUE(compose_aside({}).empty());
}

}  // namespace
}  // namespace quarry
