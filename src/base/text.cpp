#include "base/text.hpp"

#include <charconv>

namespace quarry {

std::string_view trim(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    size_t begin = 0;
    while ((begin = text.find_first_not_of(separators, begin)) != std::string_view::npos) {
        const size_t end = std::min(text.find_first_of(separators, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end;
    }
    return parts;
}

std::string base_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string enumerate(const std::vector<std::string>& items) {
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
        text += items[i];
    }
    return text;
}

// In single quotes nothing is special but the quote itself, which leaves, is escaped, and reenters.
std::string shell_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
    return quoted + "'";
}

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char character : bytes) {
        const auto byte = static_cast<unsigned char>(character);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string bytes_of_hex(std::string_view text) {
    std::string bytes;
    for (size_t at = 0; at + 1 < text.size(); at += 2) {
        unsigned byte = 0;
        const auto [end, failure] = std::from_chars(&text[at], &text[at] + 2, byte, 16);
        if (failure != std::errc() || end != &text[at] + 2) break;
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

}  // namespace quarry
