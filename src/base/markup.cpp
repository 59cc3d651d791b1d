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

}  // namespace quarry
