// What changed between two traces.
#pragma once

#include <optional>
#include <quarry/advice.hpp>

namespace quarry {

// The same task, file and object, by their names: runs seldom lie in the same directory.
struct Difference {
    std::string task;
    std::string file;             // without its directory
    std::string object;           // empty for the file itself
    std::optional<Usage> before;  // nothing where it was not there
    std::optional<Usage> after;
};

struct TraceDiff {
    std::vector<Difference> rows;  // what moves most more, or less, comes first; only what differs
    std::vector<Finding> appeared;
    std::vector<Finding> vanished;
};

Result<TraceDiff> diff_traces(const std::string& before, const std::string& after);

}  // namespace quarry
