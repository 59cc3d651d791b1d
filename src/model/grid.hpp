// Counts of elements on a coarse grid over two axes of a dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quarry {

// An axis cut into parts of nearly equal length.
struct GridAxis {
    uint32_t dimension = 0;  // of the dataset
    uint64_t size = 1;
    uint32_t parts = 1;

    uint32_t part_of(uint64_t index) const;
    uint64_t begin_of(uint32_t part) const;
};

class Grid {
public:
    // Over the two longest dimensions, or the only one.
    explicit Grid(std::vector<uint64_t> shape);

    // Elements that follow one another as they are stored.
    void add(uint64_t first, uint64_t count);

    const std::vector<uint64_t>& shape() const { return shape_; }
    const GridAxis& rows() const { return rows_; }
    const GridAxis& columns() const { return columns_; }
    // Per element of a cell, row by row: what was added to it, divided by how many it has.
    std::vector<double> averages() const;

private:
    struct Range {
        uint64_t begin;
        uint64_t end;
    };
    // The part of a box that lies before `dimension` is fixed; within it come these elements.
    void add_from(size_t dimension, uint64_t begin, uint64_t end);
    void add_box();

    std::vector<uint64_t> shape_;
    std::vector<uint64_t> strides_;
    std::vector<Range> box_;
    GridAxis rows_;
    GridAxis columns_;
    std::vector<double> cells_;
};

}  // namespace quarry
