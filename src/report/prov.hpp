// The graph as provenance, in the words of the W3C: tasks are activities, what they use and make
// are entities.
#pragma once

#include "report/graph.hpp"

namespace quarry::report {

std::string prov_text(const Dataflow& flow, const Graph& graph);

}  // namespace quarry::report
