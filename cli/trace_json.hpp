// What a trace tells, as JSON.
#pragma once

#include <quarry/trace.hpp>
#include <string>

namespace quarry::cli {

std::string facts_as_json(const TraceFacts& facts);
std::string summary_as_json(const TraceSummary& summary, const std::vector<UsageRow>& rows);

}  // namespace quarry::cli
