#include "analyze/address_map.hpp"

namespace quarry::analyze {

std::optional<uint32_t> AddressMap::owner(uint64_t address, uint64_t size) const {
    std::optional<uint32_t> found;
    bool is_one = true;
    claims_.each(address, address + size, [&](uint64_t, uint64_t, uint32_t object) {
        is_one = is_one && (!found || *found == object);
        found = object;
    });
    return is_one ? found : std::nullopt;
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
