#include "model/grid.hpp"

#include <algorithm>
#include <numeric>

#include "model/shape.hpp"

namespace quarry {
namespace {

constexpr uint64_t kMostRows = 48;
constexpr uint64_t kMostColumns = 64;
constexpr uint64_t kMostAlone = 256;  // along the only axis

__extension__ using Product = unsigned __int128;

// a * b / c; shapes may be as large as a number can be.
uint64_t scaled(uint64_t a, uint64_t b, uint64_t c, bool up) {
    const auto product = static_cast<Product>(a) * b;
    return static_cast<uint64_t>((product + (up ? c - 1 : 0)) / c);
}

// A damaged trace may tell of any.
bool can_be_counted(const std::vector<uint64_t>& shape) {
    uint64_t all = 1;
    return std::none_of(shape.begin(), shape.end(), [&](uint64_t size) {
        return __builtin_mul_overflow(all, std::max<uint64_t>(size, 1), &all);
    });
}

GridAxis axis(const std::vector<uint64_t>& shape, uint32_t dimension, uint64_t most) {
    const uint64_t size = shape[dimension];
    return {dimension, size, static_cast<uint32_t>(std::clamp<uint64_t>(size, 1, most))};
}

}  // namespace

uint32_t GridAxis::part_of(uint64_t index) const {
    return size > 0 ? static_cast<uint32_t>(scaled(index, parts, size, false)) : 0;
}

uint64_t GridAxis::begin_of(uint32_t part) const {
    return scaled(part, size, parts, true);
}

Grid::Grid(std::vector<uint64_t> shape) {
    if (can_be_counted(shape)) shape_ = std::move(shape);
    strides_.assign(shape_.size(), 1);
    for (size_t i = shape_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * shape_[i];
    for (const uint64_t size : shape_) box_.push_back({0, size});
    std::vector<uint32_t> longest(shape_.size());
    std::iota(longest.begin(), longest.end(), 0);
    std::stable_sort(longest.begin(), longest.end(),
                     [&](uint32_t left, uint32_t right) { return shape_[left] > shape_[right]; });
    if (shape_.size() == 1) {
        columns_ = axis(shape_, 0, kMostAlone);
    } else if (shape_.size() > 1) {
        rows_ = axis(shape_, std::min(longest[0], longest[1]), kMostRows);
        columns_ = axis(shape_, std::max(longest[0], longest[1]), kMostColumns);
    }
    cells_.assign(size_t{rows_.parts} * columns_.parts, 0);
}

void Grid::add(uint64_t first, uint64_t count) {
    const uint64_t all = elements_in(shape_);
    if (first >= all || count == 0) return;
    if (shape_.empty()) {
        cells_[0] += 1;
        return;
    }
    add_from(0, first, first + std::min(count, all - first));
}

void Grid::add_from(size_t dimension, uint64_t begin, uint64_t end) {
    const uint64_t stride = strides_[dimension];
    Range& here = box_[dimension];
    const auto add_part_of = [&](uint64_t index, uint64_t from, uint64_t to) {
        here = {index, index + 1};
        add_from(dimension + 1, from, to);
    };
    uint64_t first = begin / stride;
    const uint64_t last = end / stride;
    if (first == last) {
        add_part_of(first, begin % stride, end % stride);
    } else {
        if (begin % stride > 0) {
            add_part_of(first, begin % stride, stride);
            ++first;
        }
        if (first < last) {
            here = {first, last};
            add_box();
        }
        if (end % stride > 0) add_part_of(last, 0, end % stride);
    }
    here = {0, shape_[dimension]};
}

void Grid::add_box() {
    double others = 1;
    for (uint32_t i = 0; i < box_.size(); ++i) {
        const bool is_axis = i == columns_.dimension || (i == rows_.dimension && box_.size() > 1);
        if (!is_axis) others *= static_cast<double>(box_[i].end - box_[i].begin);
    }
    const auto within = [](const GridAxis& axis, uint32_t part, const Range& range) {
        const uint64_t begin = std::max(range.begin, axis.begin_of(part));
        const uint64_t end = std::min(range.end, axis.begin_of(part + 1));
        return static_cast<double>(end - begin);
    };
    const Range all_rows = box_.size() > 1 ? box_[rows_.dimension] : Range{0, 1};
    const Range all_columns = box_[columns_.dimension];
    const uint32_t last_row = rows_.part_of(all_rows.end - 1);
    const uint32_t last_column = columns_.part_of(all_columns.end - 1);
    for (uint32_t row = rows_.part_of(all_rows.begin); row <= last_row; ++row) {
        const double in_row = others * within(rows_, row, all_rows);
        for (uint32_t column = columns_.part_of(all_columns.begin); column <= last_column; ++column)
            cells_[size_t{row} * columns_.parts + column] +=
                in_row * within(columns_, column, all_columns);
    }
}

std::vector<double> Grid::averages() const {
    const double all = static_cast<double>(elements_in(shape_));
    const auto plane = static_cast<double>(rows_.size) * static_cast<double>(columns_.size);
    std::vector<double> result(cells_.size());
    if (all == 0) return result;
    for (uint32_t row = 0; row < rows_.parts; ++row) {
        const auto height = static_cast<double>(rows_.begin_of(row + 1) - rows_.begin_of(row));
        for (uint32_t column = 0; column < columns_.parts; ++column) {
            const auto width =
                static_cast<double>(columns_.begin_of(column + 1) - columns_.begin_of(column));
            const size_t cell = size_t{row} * columns_.parts + column;
            result[cell] = cells_[cell] / (height * width * (all / plane));
        }
    }
    return result;
}

}  // namespace quarry
