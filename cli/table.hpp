// Columns of text, aligned.
#pragma once

#include <quarry/markup.hpp>
#include <string>
#include <vector>

#include "terminal.hpp"

namespace quarry::cli {

class Table {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Right;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) {
        // Nobody reads a table that is wider than any screen.
        constexpr size_t kWidest = 120;
        for (std::string& cell : cells) cell = shortened(printable(cell), kWidest);
        rows_.push_back(std::move(cells));
    }
    std::string text(const Style& style) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace quarry::cli
