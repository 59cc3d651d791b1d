#include "model/connector_config.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quarry {
namespace {

ConnectorConfig parsed(std::string_view text) {
    Result<ConnectorConfig> config = parse_connector_config(text);
    EXPECT_TRUE(config) << text;
    return config ? *config : ConnectorConfig{};
}

std::string complaint(std::string_view text) {
    const Result<ConnectorConfig> config = parse_connector_config(text);
    return config ? "" : config.error().message;
}

TEST(ConnectorConfig, NothingGivenIsTheDefault) {
    EXPECT_EQ(parsed(""), ConnectorConfig{});
    EXPECT_EQ(parsed("  \t "), ConnectorConfig{});
    EXPECT_TRUE(ConnectorConfig{}.bytes);
}

TEST(ConnectorConfig, ReadsEveryKey) {
    const ConnectorConfig config = parsed(
        "bytes=off; under = pass_through ;under_info={a=0;b={}};witness=/tmp/a b;"
        "trace={/t;r};level=accesses;max_size=1048576;carved={/c};originals=/o;places=/p;moved={{/"
        "a=/b};/c=/d};"
        "fetched=/f;fetch=off;paranoid=on");
    EXPECT_FALSE(config.bytes);
    EXPECT_EQ(config.under, "pass_through");
    EXPECT_EQ(config.under_info, "a=0;b={}");
    EXPECT_EQ(config.witness, "/tmp/a b");
    EXPECT_EQ(config.trace, "/t;r");
    EXPECT_EQ(config.level, RecordLevel::Accesses);
    EXPECT_EQ(config.max_size, 1048576u);
    EXPECT_EQ(config.carved, "/c");
    EXPECT_EQ(config.originals, "/o");
    EXPECT_EQ(config.places, "/p");
    EXPECT_EQ(config.moved, (std::vector<std::string>{"/a=/b", "/c=/d"}));
    EXPECT_EQ(config.fetched, "/f");
    EXPECT_FALSE(config.fetch);
    EXPECT_TRUE(config.is_paranoid);
}

TEST(ConnectorConfig, SaysWhatIsWrong) {
    EXPECT_NE(complaint("byes=on").find("unknown key \"byes\""), std::string::npos);
    EXPECT_NE(complaint("bytes=maybe").find("neither on nor off"), std::string::npos);
    EXPECT_NE(complaint("bytes=on;bytes=off").find("bytes twice"), std::string::npos);
    EXPECT_NE(complaint("bytes").find("where key=value belongs"), std::string::npos);
    EXPECT_NE(complaint("under=").find("no value for under"), std::string::npos);
    EXPECT_NE(complaint("under=x;under_info={a").find("braces"), std::string::npos);
    EXPECT_NE(complaint("under=x}").find("braces"), std::string::npos);
    EXPECT_NE(complaint("witness={a}b").find("behind the braces"), std::string::npos);
    EXPECT_NE(complaint("moved={{a=b}c=d}").find("for moved"), std::string::npos);
    EXPECT_NE(complaint("level=all").find("neither objects nor accesses nor io"),
              std::string::npos);
    EXPECT_NE(complaint("max_size=1G").find("no number of bytes"), std::string::npos);
    EXPECT_NE(complaint("max_size=-1").find("no number of bytes"), std::string::npos);
    EXPECT_NE(complaint("under_info=x").find("without under"), std::string::npos);
    EXPECT_NE(complaint(";;").find("where key=value belongs"), std::string::npos);
}

std::string balanced_text(std::mt19937& random) {
    constexpr std::string_view letters = "abc=;, /.-_{}";
    std::string text;
    int depth = 0;
    for (auto length = random() % 20; length > 0; --length) {
        const char letter = letters[random() % letters.size()];
        if (letter == '}' && depth == 0) continue;
        depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
        text += letter;
    }
    return "x" + text + std::string(static_cast<size_t>(depth), '}');
}

TEST(ConnectorConfig, WrittenTextReadsBackTheSame) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 2000; ++i) {
        ConnectorConfig config;
        config.bytes = random() % 2 == 0;
        if (random() % 2 == 0) config.under = "other";
        if (!config.under.empty()) config.under_info = balanced_text(random);
        if (random() % 2 == 0) config.witness = "/" + balanced_text(random);
        if (random() % 2 == 0) config.trace = "/" + balanced_text(random);
        config.level = static_cast<RecordLevel>(1 + random() % 3);
        config.max_size = random() % 3 == 0 ? 0 : random();
        if (random() % 2 == 0) config.carved = "/" + balanced_text(random);
        for (auto maps = random() % 3; maps > 0; --maps)
            config.moved.push_back("/" + balanced_text(random));
        config.fetch = random() % 2 == 0;
        config.is_paranoid = random() % 2 == 0;
        EXPECT_EQ(parsed(to_string(config)), config) << to_string(config);
    }
}

TEST(ConnectorConfig, AnythingElseIsRefusedNotCrashedOn) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr std::string_view pieces[] = {"bytes", "under", "=",    ";", "{",
                                           "}",     "on",    "\xff", " ", ""};
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (auto count = random() % 12; count > 0; --count)
            text += pieces[random() % std::size(pieces)];
        const Result<ConnectorConfig> config = parse_connector_config(text);
        if (config) {
            EXPECT_EQ(parsed(to_string(*config)), *config) << text;
        } else {
            EXPECT_FALSE(config.error().message.empty());
        }
    }
}

}  // namespace
}  // namespace quarry
