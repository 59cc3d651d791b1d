#include <gtest/gtest.h>

#include <algorithm>
#include <quarry/launch.hpp>

#include "folder.hpp"

namespace quarry {
namespace {

using Route = LaunchPlan::Route;

class PlanTest : public FolderTest {
protected:
    LaunchPlan plan(const Command& command, const LaunchOptions& options = {}) const {
        const auto result = plan_launch(command, environment, options, plugin);
        EXPECT_TRUE(result) << (result ? "" : result.error().message);
        return result ? *result : LaunchPlan{};
    }

    Environment environment = Environment::of({{"PATH", "/usr/bin:/bin"}});
    Plugin plugin{"/opt/quarry/lib/quarry/libquarry_connector.so", ""};
};

TEST_F(PlanTest, TakesAProgramWithANewHdf5) {
    const LaunchPlan result = plan({FAKE_PROGRAMS "/uses_hdf5_1_14_5"});
    EXPECT_EQ(result.route, Route::Connector);
    EXPECT_TRUE(result.reasons.empty());
}

TEST_F(PlanTest, TakesProgramsThatItCannotSeeInto) {
    for (const Command& command : {Command{"/bin/sh", "-c", "true"}, Command{"nosuch"}}) {
        EXPECT_EQ(plan(command).route, Route::Connector);
        EXPECT_TRUE(plan(command).reasons.empty());
    }
}

TEST_F(PlanTest, StepsAsideForAnOldHdf5) {
    for (const char* program :
         {FAKE_PROGRAMS "/uses_hdf5_1_10_8", FAKE_PROGRAMS "/uses_hdf5_1_12_2"}) {
        const LaunchPlan result = plan({program});
        EXPECT_EQ(result.route, Route::Aside);
        EXPECT_TRUE(result.changes.empty());
        ASSERT_EQ(result.reasons.size(), 1u);
        EXPECT_NE(result.reasons[0].find("needs 1.14"), std::string::npos) << result.reasons[0];
    }
}

TEST_F(PlanTest, StepsAsideFromAnOuterRunToo) {
    environment.set("HDF5_VOL_CONNECTOR", "quarry bytes=on");
    const LaunchPlan result = plan({FAKE_PROGRAMS "/uses_hdf5_1_12_2"});
    EXPECT_EQ(with_changes(environment, result.changes).get("HDF5_VOL_CONNECTOR"), std::nullopt);
}

TEST_F(PlanTest, StepsAsideForAHiddenStaticHdf5) {
    EXPECT_EQ(plan({FAKE_PROGRAMS "/static_hdf5_hidden"}).route, Route::Aside);
    EXPECT_EQ(plan({FAKE_PROGRAMS "/static_hdf5_exported"}).route, Route::Connector);
}

TEST_F(PlanTest, StepsAsideWithoutAPlugin) {
    plugin.problem = "there is no plugin";
    EXPECT_EQ(plan({"true"}).route, Route::Aside);
    EXPECT_EQ(plan({"true"}).reasons, std::vector<std::string>{"there is no plugin"});
}

TEST_F(PlanTest, StepsAsideWhenPluginsAreForbidden) {
    environment.set("HDF5_PLUGIN_PRELOAD", "::");
    EXPECT_EQ(plan({"true"}).route, Route::Aside);
}

TEST_F(PlanTest, StepsAsideFromAConnectorThatItCannotStandOn) {
    environment.set("HDF5_VOL_CONNECTOR", "other {unbalanced");
    EXPECT_EQ(plan({"true"}).route, Route::Aside);
    EXPECT_TRUE(plan({"true"}).changes.empty());
}

TEST_F(PlanTest, WarnsOfAClearedEnvironment) {
    const LaunchPlan result = plan({"env", "-i", FAKE_PROGRAMS "/uses_hdf5_1_14_5"});
    EXPECT_EQ(result.route, Route::Connector);
    ASSERT_EQ(result.reasons.size(), 1u);
    EXPECT_NE(result.reasons[0].find("env -i clears the environment"), std::string::npos);
}

TEST_F(PlanTest, AMixtureStepsAsideOnlyForWhatWouldBreak) {
    const std::string site = "usr/lib/python3.11/site-packages/";
    const std::string python = copy(FAKE_PROGRAMS "/uses_hdf5_1_14_5", "usr/bin/python3.11");
    copy(FAKE_PROGRAMS "/uses_hdf5_1_14_5", site + "h5py/core.so");
    copy(FAKE_PROGRAMS "/uses_hdf5_1_10_8", site + "tables/core.so");
    const LaunchPlan partly = plan({python, "x.py"});
    EXPECT_EQ(partly.route, Route::Connector) << "1.10 ignores the variable";
    EXPECT_EQ(partly.reasons.size(), 1u);
    copy(FAKE_PROGRAMS "/uses_hdf5_1_12_2", site + "netCDF4/core.so");
    EXPECT_EQ(plan({python, "x.py"}).route, Route::Aside) << "1.12 would not start";
}

TEST_F(PlanTest, PreloadsNothingBeforeASanitizer) {
    LaunchOptions options;
    options.recording = LaunchOptions::Recording::On;
    options.trace = path("trace");
    const auto preloads = [](const LaunchPlan& result) {
        return std::any_of(result.changes.begin(), result.changes.end(), [](const auto& change) {
            return change.name == "LD_PRELOAD" && change.value.has_value();
        });
    };
    EXPECT_TRUE(preloads(plan({FAKE_PROGRAMS "/uses_hdf5_1_14_5"}, options)));
    const LaunchPlan result = plan({FAKE_PROGRAMS "/uses_sanitizer"}, options);
    EXPECT_EQ(result.route, Route::Connector);
    EXPECT_FALSE(preloads(result));
    ASSERT_EQ(result.reasons.size(), 1u);
    EXPECT_NE(result.reasons[0].find("sanitizer"), std::string::npos);
}

TEST_F(PlanTest, MakesTheWitnessDirectory) {
    LaunchOptions options;
    options.witness = path("a/b");
    const LaunchPlan result = plan({"true"}, options);
    EXPECT_TRUE(std::filesystem::is_directory(path("a/b")));
    EXPECT_NE(result.changes[0].value.value_or("").find("witness={" + path("a/b") + "}"),
              std::string::npos);
    options.witness = write("file", "") + "/below";
    EXPECT_FALSE(plan_launch({"true"}, environment, options, plugin));
}

TEST_F(PlanTest, TheEnvironmentIsForWhateverComes) {
    const auto result = plan_environment(environment, {}, plugin);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->route, Route::Connector);
    EXPECT_EQ(result->changes[0].name, "HDF5_VOL_CONNECTOR");
}

}  // namespace
}  // namespace quarry
