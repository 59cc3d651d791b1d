#include <quarry/suggest.hpp>

#include <algorithm>

namespace quarry {

size_t edit_distance(std::string_view from, std::string_view to) {
    const size_t width = to.size() + 1;
    std::vector<size_t> table((from.size() + 1) * width);
    const auto cell = [&](size_t row, size_t column) -> size_t& {
        return table[row * width + column];
    };
    for (size_t row = 0; row <= from.size(); ++row) cell(row, 0) = row;
    for (size_t column = 0; column <= to.size(); ++column) cell(0, column) = column;
    for (size_t row = 1; row <= from.size(); ++row) {
        for (size_t column = 1; column <= to.size(); ++column) {
            const bool same = from[row - 1] == to[column - 1];
            size_t best = std::min({cell(row - 1, column) + 1, cell(row, column - 1) + 1,
                                    cell(row - 1, column - 1) + (same ? 0 : 1)});
            const bool swapped = row > 1 && column > 1 && from[row - 1] == to[column - 2] &&
                                 from[row - 2] == to[column - 1];
            if (swapped) best = std::min(best, cell(row - 2, column - 2) + 1);
            cell(row, column) = best;
        }
    }
    return cell(from.size(), to.size());
}

std::optional<std::string> suggest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
    if (word.empty()) return std::nullopt;
    const std::string* best = nullptr;
    size_t best_distance = word.size() / 3 + 2;  // a third of a word may be wrong, and one letter
    for (const std::string& candidate : candidates) {
        const bool abbreviated = word.size() >= 2 && candidate.starts_with(word);
        const size_t distance = abbreviated ? 1 : edit_distance(word, candidate);
        const bool alike = distance < std::max(word.size(), candidate.size());
        if (alike && distance < best_distance) {
            best = &candidate;
            best_distance = distance;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

}  // namespace quarry
