// What a trace tells, in forms for people and for other programs.
#pragma once

#include <quarry/dataflow.hpp>
#include <string>

namespace quarry {

// The graph of tasks, files and objects; see docs/formats/graph.md.
enum class GraphFormat { Json, Dot, GraphMl, ProvJson };
std::string graph_text(const Dataflow& flow, GraphFormat format);

}  // namespace quarry
