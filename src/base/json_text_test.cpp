#include "base/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace quarry {
namespace {

TEST(JsonTextTest, QuotesAndEscapes) {
    EXPECT_EQ(json_quoted("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
    EXPECT_EQ(json_quoted("Größe 温度"), "\"Größe 温度\"");
    EXPECT_EQ(json_quoted("\xff\xc0\x80z\xe2\x82"), "\"���z��\"");
}

TEST(JsonTextTest, AnyBytesMakeSoundJson) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 5000; ++i) {
        std::string text(random() % 40, ' ');
        for (char& c : text) c = static_cast<char>(random());
        EXPECT_TRUE(nlohmann::json::accept(json_quoted(text)));
    }
}

TEST(JsonTextTest, TellsUtf8FromOtherBytes) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 100'000; ++i) {
        std::string text(random() % 5, ' ');
        for (char& c : text)
            c = static_cast<char>(random() % 4 == 0 ? random() : 0x80 | random() % 0x40);
        bool is_sound = true;
        try {
            (void)nlohmann::json(text).dump();
        } catch (const nlohmann::json::type_error&) {
            is_sound = false;
        }
        EXPECT_EQ(is_utf8(text), is_sound) << nlohmann::json::binary({text.begin(), text.end()});
    }
}

}  // namespace
}  // namespace quarry
