// "Did you mean": the candidate that a mistyped word was probably meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

// Nothing when no candidate is near enough to be worth a guess.
std::optional<std::string> suggest(std::string_view word,
                                   const std::vector<std::string>& candidates);

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
size_t edit_distance(std::string_view from, std::string_view to);

}  // namespace quarry
