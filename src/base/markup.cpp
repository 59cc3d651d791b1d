#include <fmt/format.h>

#include <quarry/markup.hpp>

namespace quarry {

std::string in_xml(std::string_view text) {
    std::string out;
    for (const char character : text) {
        switch (character) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
        }
    }
    return out;
}

std::string shortened(std::string_view text, size_t most) {
    if (text.size() <= most) return std::string(text);
    const auto is_inside = [&](size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    size_t head = most * 2 / 3;
    while (head > 0 && is_inside(head)) --head;
    size_t tail = text.size() - most / 3;
    while (tail < text.size() && is_inside(tail)) ++tail;
    return std::string(text.substr(0, head)) + " … " + std::string(text.substr(tail));
}

std::string percent_encoded(std::string_view path) {
    std::string result;
    for (const char character : path) {
        const auto code = static_cast<unsigned char>(character);
        const bool is_plain = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
                              (code >= '0' && code <= '9') ||
                              std::string_view("/-_.~").find(character) != std::string_view::npos;
        if (is_plain) {
            result += character;
        } else {
            result += fmt::format("%{:02X}", code);
        }
    }
    return result;
}

}  // namespace quarry
