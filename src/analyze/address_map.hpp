// Which object the bytes of a file belong to, as far as HDF5 or the program's own accesses tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <quarry/trace.hpp>

#include "model/intervals.hpp"

namespace quarry::analyze {

// The superblock belongs to no object.
inline constexpr uint32_t kFileItself = kNobody - 2;

class AddressMap {
public:
    // Later claims win: space is freed and used again.
    void claim(uint64_t address, uint64_t size, uint32_t object) {
        claims_.claim(address, address + size, object);
    }
    // Parts of the global heap are claimed by their first byte: their size is not known.
    void claim_heap(uint64_t address, uint32_t object) { heaps_[address] = object; }
    void claim_header(uint64_t address, uint32_t object) { metadata_[address] = {object, true}; }
    // Metadata that begins there and ends where other metadata begins.
    void claim_metadata(uint64_t address, uint32_t object) {
        metadata_.try_emplace(address, Start{object, false});
    }
    // To be called when all else is claimed.
    void claim_superblock(uint64_t address);

    // The object that all of the range belongs to, as far as it is claimed at all.
    std::optional<uint32_t> owner(uint64_t address, uint64_t size) const;
    // Those that any part of the range belongs to: give(object).
    template <typename Give>
    void each_owner(uint64_t address, uint64_t size, Give&& give) const {
        claims_.each(address, address + size,
                     [&](uint64_t, uint64_t, uint32_t object) { give(object); });
    }
    // The object that was the last to put values into the part of the heap that begins there.
    std::optional<uint32_t> heap_owner(uint64_t address) const;
    // The object whose header begins within the range, if there is exactly one.
    std::optional<uint32_t> header_owner(uint64_t address, uint64_t size) const;

    // The object whose metadata was found to begin exactly there.
    std::optional<uint32_t> metadata_owner(uint64_t address) const;

    // The metadata in the range, owner by owner: give(object, begin, end). The object may be
    // kFileItself, or kNobody.
    template <typename Give>
    void each_metadata(uint64_t address, uint64_t size, Give&& give) const {
        const uint64_t end = address + size;
        auto next = metadata_.upper_bound(address);
        uint32_t owner = next != metadata_.begin() ? std::prev(next)->second.object : kNobody;
        for (uint64_t begin = address; begin < end;) {
            while (next != metadata_.end() && next->first < end && next->second.object == owner)
                ++next;
            const uint64_t until = next != metadata_.end() ? std::min(next->first, end) : end;
            give(owner, begin, until);
            begin = until;
            if (next != metadata_.end()) owner = next++->second.object;
        }
    }

private:
    struct Start {
        uint32_t object;
        bool is_header;
    };
    IntervalMap<uint32_t> claims_;
    std::map<uint64_t, uint32_t> heaps_;
    std::map<uint64_t, Start> metadata_;  // by their first byte
};

}  // namespace quarry::analyze
