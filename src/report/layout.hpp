// Where the nodes of a graph are drawn: time runs from left to right.
#pragma once

#include "report/graph.hpp"

namespace quarry::report {

struct Place {
    uint32_t column = 0;
    uint32_t row = 0;  // within the column, from the top
};

std::vector<Place> layout_of(const Graph& graph, const TraceFacts& facts);

}  // namespace quarry::report
