// Ranges of numbers: addresses in a file, elements of a dataset.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace quarry {

// Which ranges have been seen, in any order and as often as you like.
class IntervalSet {
public:
    void add(uint64_t begin, uint64_t end) {
        if (begin >= end) return;
        if (!ranges_.empty() && ranges_.back().end >= begin && ranges_.back().begin <= begin) {
            ranges_.back().end = std::max(ranges_.back().end, end);
            return;
        }
        ranges_.push_back({begin, end});
        if (ranges_.size() >= tidy_at_) tidy();
    }

    uint64_t count() {
        tidy();
        uint64_t total = 0;
        for (const Range& range : ranges_) total += range.end - range.begin;
        return total;
    }

    // In order, without gaps between neighbours.
    template <typename Give>
    void each(Give&& give) {
        tidy();
        for (const Range& range : ranges_) give(range.begin, range.end);
    }

    bool empty() const { return ranges_.empty(); }

private:
    struct Range {
        uint64_t begin;
        uint64_t end;
    };

    void tidy() {
        std::sort(ranges_.begin(), ranges_.end(),
                  [](const Range& left, const Range& right) { return left.begin < right.begin; });
        size_t last = 0;
        for (size_t i = 1; i < ranges_.size(); ++i) {
            if (ranges_[i].begin <= ranges_[last].end) {
                ranges_[last].end = std::max(ranges_[last].end, ranges_[i].end);
            } else {
                ranges_[++last] = ranges_[i];
            }
        }
        if (!ranges_.empty()) ranges_.resize(last + 1);
        constexpr size_t kFew = 64;
        tidy_at_ = std::max(kFew, 2 * ranges_.size());
    }

    std::vector<Range> ranges_;
    size_t tidy_at_ = 64;
};

// Whose each range is; later claims win.
template <typename Owner>
class IntervalMap {
public:
    void claim(uint64_t begin, uint64_t end, const Owner& owner) {
        if (begin >= end) return;
        auto at = claims_.upper_bound(begin);
        if (at != claims_.begin()) {
            const auto before = std::prev(at);
            const Claim old = before->second;
            if (old.owner == owner && old.end >= begin) {
                if (old.end >= end) return;
                begin = before->first;  // grows
            } else if (old.end > begin) {
                before->second.end = begin;
                if (before->first == begin) claims_.erase(before);
                if (old.end > end) claims_.insert_or_assign(end, old);
            }
        }
        at = claims_.lower_bound(begin);
        while (at != claims_.end() && at->first <= end) {
            const auto [first, old] = *at;
            if (first == end && !(old.owner == owner)) break;
            at = claims_.erase(at);
            if (old.owner == owner) {
                end = std::max(end, old.end);
            } else if (old.end > end) {
                claims_.insert_or_assign(end, old);
                break;
            }
        }
        claims_.insert_or_assign(begin, Claim{end, owner});
    }

    // What of the range is claimed: give(begin, end, owner), in order.
    template <typename Give>
    void each(uint64_t begin, uint64_t end, Give&& give) const {
        if (begin >= end) return;
        auto at = claims_.upper_bound(begin);
        if (at != claims_.begin()) --at;
        for (; at != claims_.end() && at->first < end; ++at) {
            if (at->second.end <= begin) continue;
            give(std::max(begin, at->first), std::min(end, at->second.end), at->second.owner);
        }
    }

private:
    struct Claim {
        uint64_t end;
        Owner owner;
    };
    std::map<uint64_t, Claim> claims_;  // by their first number; they do not overlap
};

}  // namespace quarry
