// Puts what was moved into the part of the time in which it was.
#pragma once

#include <map>
#include <quarry/trace.hpp>

namespace quarry::analyze {

class ActivityCounter {
public:
    explicit ActivityCounter(const TraceFacts& facts);

    // Spread evenly from `begin` to `end`.
    void add(uint32_t task, uint64_t begin, uint64_t end, const Activity::Amount& amount);

    Activity result() const;

private:
    uint32_t part_of(uint64_t time) const;

    uint64_t begin_;
    uint64_t end_ = 0;
    std::vector<std::map<uint32_t, Activity::Amount>> tasks_;
};

}  // namespace quarry::analyze
