// A run as an RO-Crate: what ran when, on which files, with which results.
#pragma once

#include "report/graph.hpp"

namespace quarry::report {

// ro-crate-metadata.json, after the Process Run Crate profile of Workflow Run RO-Crate.
std::string ro_crate_text(const Dataflow& flow);

}  // namespace quarry::report
