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
    std::optional<uint32_t> found;
    for (auto at = metadata_.lower_bound(address);
         at != metadata_.end() && at->first < address + size; ++at) {
        if (!at->second.is_header) continue;
        if (found) return std::nullopt;
        found = at->second.object;
    }
    return found;
}

std::optional<uint32_t> AddressMap::metadata_owner(uint64_t address) const {
    const auto found = metadata_.find(address);
    return found != metadata_.end() ? std::optional(found->second.object) : std::nullopt;
}

void AddressMap::claim_superblock(uint64_t address) {
    constexpr uint64_t kLargest = 96;
    const auto known = metadata_.find(address);
    const uint32_t behind = known != metadata_.end() ? known->second.object : kNobody;
    metadata_[address] = {kFileItself, false};
    const auto next = metadata_.upper_bound(address);
    if (next == metadata_.end() || next->first > address + kLargest)
        claim_metadata(address + kLargest, behind);
}

}  // namespace quarry::analyze
