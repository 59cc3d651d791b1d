#include "analyze/activity.hpp"

#include <algorithm>

namespace quarry::analyze {

ActivityCounter::ActivityCounter(const TraceFacts& facts)
    : begin_(~uint64_t{0}), tasks_(facts.tasks.size()) {
    for (const ProcessFacts& process : facts.processes) {
        begin_ = std::min(begin_, process.begin);
        end_ = std::max(end_, process.end);
    }
    begin_ = std::min(begin_, end_);
}

void ActivityCounter::add(uint32_t task, uint64_t begin, uint64_t end,
                          const Activity::Amount& amount) {
    if (task == kNobody) return;
    const uint32_t first = part_of(begin);
    const uint32_t last = std::max(first, part_of(end));
    const uint64_t parts = last - first + 1;
    for (uint32_t part = first; part <= last; ++part) {
        const auto share = [&](uint64_t all) {
            return all / parts + (part - first < all % parts ? 1 : 0);
        };
        Activity::Amount& sum = tasks_[task][part];
        sum.read += share(amount.read);
        sum.written += share(amount.written);
        sum.ios += share(amount.ios);
    }
}

Activity ActivityCounter::result() const {
    Activity result{begin_, end_, {}};
    for (const auto& parts : tasks_) {
        auto& task = result.tasks.emplace_back();
        for (const auto& [part, amount] : parts)
            task.push_back({part, amount.read, amount.written, amount.ios});
    }
    return result;
}

uint32_t ActivityCounter::part_of(uint64_t time) const {
    if (end_ == begin_) return 0;
    const uint64_t since = std::clamp(time, begin_, end_) - begin_;
    const double share = static_cast<double>(since) / static_cast<double>(end_ - begin_);
    return std::min(static_cast<uint32_t>(share * Activity::kParts), Activity::kParts - 1);
}

}  // namespace quarry::analyze
