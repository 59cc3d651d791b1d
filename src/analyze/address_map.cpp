#include "analyze/address_map.hpp"

#include <algorithm>

namespace quarry::analyze {

void AddressMap::claim(uint64_t address, uint64_t size, uint32_t object) {
    uint64_t end = address + size;
    if (end <= address) return;
    auto at = claims_.upper_bound(address);
    if (at != claims_.begin()) {
        const auto before = std::prev(at);
        const Claim old = before->second;
        if (old.object == object && old.end >= address) {
            if (old.end >= end) return;
            address = before->first;  // grows
        } else if (old.end > address) {
            before->second.end = address;
            if (before->first == address) claims_.erase(before);
            if (old.end > end) claims_[end] = old;
        }
    }
    at = claims_.lower_bound(address);
    while (at != claims_.end() && at->first <= end) {
        const auto [first, old] = *at;
        if (first == end && old.object != object) break;
        at = claims_.erase(at);
        if (old.object == object) {
            end = std::max(end, old.end);
        } else if (old.end > end) {
            claims_[end] = old;
            break;
        }
    }
    claims_[address] = {end, object};
}

std::optional<uint32_t> AddressMap::owner(uint64_t address, uint64_t size) const {
    const uint64_t end = address + size;
    std::optional<uint32_t> found;
    auto at = claims_.upper_bound(address);
    if (at != claims_.begin()) --at;
    for (; at != claims_.end() && at->first < end; ++at) {
        if (at->second.end <= address) continue;
        if (found && *found != at->second.object) return std::nullopt;
        found = at->second.object;
    }
    return found;
}

std::optional<uint32_t> AddressMap::heap_owner(uint64_t address) const {
    const auto found = heaps_.find(address);
    return found != heaps_.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<uint32_t> AddressMap::header_owner(uint64_t address, uint64_t size) const {
    const auto first = headers_.lower_bound(address);
    if (first == headers_.end() || first->first >= address + size) return std::nullopt;
    const auto next = std::next(first);
    const bool only = next == headers_.end() || next->first >= address + size;
    return only ? std::optional(first->second) : std::nullopt;
}

}  // namespace quarry::analyze
