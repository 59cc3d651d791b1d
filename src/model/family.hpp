// Names that differ only in their numbers belong to one family: sim_001 and sim_128 are "sim_#".
#pragma once

#include <string>
#include <string_view>

namespace quarry {

inline std::string family_of(std::string_view name) {
    // That of "h5" is no number.
    constexpr size_t kLongestEnding = 6;
    const size_t dot = name.rfind('.');
    const bool has_ending = dot != name.npos && name.size() - dot <= kLongestEnding &&
                            dot + 1 < name.size() && (name[dot + 1] < '0' || name[dot + 1] > '9');
    const std::string_view ending = has_ending ? name.substr(dot) : std::string_view();
    std::string common;
    for (const char character : name.substr(0, name.size() - ending.size())) {
        const bool is_digit = character >= '0' && character <= '9';
        if (!is_digit) common += character;
        if (is_digit && (common.empty() || common.back() != '#')) common += '#';
    }
    return common + std::string(ending);
}

}  // namespace quarry
