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

}  // namespace quarry
