#include <quarry/report.hpp>
#include <string_view>

namespace quarry {

namespace embedded {
extern const std::string_view page;
}

std::string report_as_page(const std::string& json) {
    constexpr std::string_view kPlace = "\"QUARRY-REPORT\"";
    const size_t place = embedded::page.find(kPlace);
    std::string text(embedded::page.substr(0, place));
    // Nothing in the data may end the element that holds it.
    for (const char character : json) {
        if (character == '<') {
            text += "\\u003c";
        } else {
            text += character;
        }
    }
    text += embedded::page.substr(place + kPlace.size());
    return text;
}

}  // namespace quarry
