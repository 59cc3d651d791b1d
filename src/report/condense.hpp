// As much of a graph as a page can show: the rest becomes groups.
#pragma once

#include "report/graph.hpp"

namespace quarry::report {

struct Condensed {
    Graph graph;
    std::vector<uint32_t> places;  // of each node of the graph that was condensed
};

Condensed condensed(Graph&& graph, const Dataflow& flow);

}  // namespace quarry::report
