#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quarry::cli {
namespace {

// In characters, for what is mostly ASCII with some UTF-8.
size_t width_of(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string padded(const std::string& text, size_t width, Table::Align align) {
    const std::string space(width - std::min(width, width_of(text)), ' ');
    return align == Table::Align::Left ? text + space : space + text;
}

}  // namespace

std::string Table::text(const Style& style) const {
    std::vector<size_t> widths;
    for (size_t i = 0; i < columns_.size(); ++i) {
        size_t width = width_of(columns_[i].title);
        for (const auto& row : rows_) width = std::max(width, width_of(row[i]));
        widths.push_back(width);
    }
    const auto line = [&](const auto& cell) {
        std::string text;
        for (size_t i = 0; i < columns_.size(); ++i) {
            text += (i > 0 ? "  " : "") + padded(cell(i), widths[i], columns_[i].align);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    };
    std::string text = style.strong(line([&](size_t i) { return columns_[i].title; })) + "\n";
    for (const auto& row : rows_) text += line([&](size_t i) { return row[i]; }) + "\n";
    return text;
}

}  // namespace quarry::cli
