// How a record comes to lie in its slots.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "trace/format.hpp"

namespace quarry::trace {

// The slots that continue a record, for what does not fit into it.
inline size_t slots_for(std::span<const std::byte> rest) noexcept {
    return std::min((rest.size() + kMoreBytes - 1) / kMoreBytes, kMaxMore);
}

// Into slots that are all zero; what was stored is there whenever the process is killed.
inline void store_record(std::byte* place, const std::byte* record, std::span<const std::byte> rest,
                         uint16_t thread) noexcept {
    const size_t more = slots_for(rest);
    for (size_t i = 0; i < more; ++i) {
        std::byte* slot = place + (i + 1) * kSlotSize;
        const auto part = rest.subspan(i * kMoreBytes);
        std::memcpy(slot + 1, part.data(), std::min(part.size(), kMoreBytes));
        std::atomic_ref(*reinterpret_cast<uint8_t*>(slot))
            .store(static_cast<uint8_t>(Kind::More), std::memory_order_release);
    }
    Prefix prefix;
    std::memcpy(&prefix, record, sizeof prefix);
    prefix.thread = thread;
    prefix.more = static_cast<uint32_t>(more);
    uint64_t first_word = 0;
    std::memcpy(&first_word, &prefix, sizeof first_word);
    std::memcpy(place + sizeof prefix, record + sizeof prefix, kSlotSize - sizeof prefix);
    std::atomic_ref(*reinterpret_cast<uint64_t*>(place))
        .store(first_word, std::memory_order_release);
}

}  // namespace quarry::trace
