#include "base/json_text.hpp"

#include <algorithm>

namespace quarry {
namespace {

// The length of the UTF-8 sequence that `text` begins with; 0 if it begins with none.
size_t sequence_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    if (length > text.size()) return 0;
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    // Overlong forms, surrogates and what lies beyond Unicode.
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return length;
}

void append_escaped(std::string& json, char character) {
    constexpr const char* digits = "0123456789abcdef";
    json += "\\u00";
    json += digits[(character >> 4) & 0xf];
    json += digits[character & 0xf];
}

}  // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const size_t length = sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string json_quoted(std::string_view text) {
    const auto is_plain = [](unsigned char c) {
        return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
    };
    std::string json = "\"";
    while (!text.empty()) {
        const auto plain = std::find_if_not(text.begin(), text.end(), is_plain) - text.begin();
        json += text.substr(0, static_cast<size_t>(plain));
        text.remove_prefix(static_cast<size_t>(plain));
        if (text.empty()) break;
        const size_t length = sequence_length(text);
        const char first = text.front();
        if (length == 0) {
            json += "\xef\xbf\xbd";
        } else if (first == '"' || first == '\\') {
            json += {'\\', first};
        } else if (static_cast<unsigned char>(first) < 0x20) {
            append_escaped(json, first);
        } else {
            json += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return json + "\"";
}

}  // namespace quarry
