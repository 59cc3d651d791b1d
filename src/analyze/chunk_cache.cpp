#include "analyze/chunk_cache.hpp"

#include <algorithm>

namespace quarry::analyze {

void ChunkCache::use(const Use& use, RawTraffic& moved) {
    const uint64_t slot = size_.slots > 0 ? use.hash % size_.slots : 0;
    const bool fits = size_.slots > 0 && chunk_bytes_ <= size_.bytes;
    const auto known = slots_.find(slot);
    Queue::iterator entry = queue_.end();
    if (known != slots_.end() && known->second->chunk == use.chunk) {
        entry = known->second;
        if (const auto next = std::next(entry); next != queue_.end())
            queue_.splice(entry, queue_, next);
    } else {
        const bool is_overwritten = use.writes && use.bytes >= chunk_bytes_;
        if (use.exists && !is_overwritten) {
            ++moved.reads;
            moved.bytes_read += use.stored;
        }
        if (!fits) {
            if (use.writes) {
                ++moved.writes;
                moved.bytes_written += use.stored;
            }
            return;
        }
        if (known != slots_.end()) evict(known->second, moved);
        make_room(moved);
        entry = queue_.insert(queue_.end(),
                              {use.chunk, slot, use.stored, chunk_bytes_, chunk_bytes_, false});
        slots_[slot] = entry;
        used_ += chunk_bytes_;
    }
    uint64_t& left = use.writes ? entry->left_to_write : entry->left_to_read;
    left -= std::min(left, use.bytes);
    entry->is_dirty |= use.writes;
}

void ChunkCache::close(RawTraffic& moved) {
    while (!queue_.empty()) evict(queue_.begin(), moved);
}

void ChunkCache::evict(Queue::iterator entry, RawTraffic& moved) {
    if (entry->is_dirty) {
        ++moved.writes;
        moved.bytes_written += entry->stored;
    }
    slots_.erase(entry->slot);
    queue_.erase(entry);
    used_ -= chunk_bytes_;
}

bool ChunkCache::is_whole(const Entry& entry) const {
    const bool read = entry.left_to_read == 0;
    const bool written = entry.left_to_write == 0;
    return (read && written) || (read && entry.left_to_write == chunk_bytes_) ||
           (written && entry.left_to_read == chunk_bytes_);
}

// Two walks along the queue: the first takes whole ones only, the second, which starts later, takes
// whatever it meets.
void ChunkCache::make_room(RawTraffic& moved) {
    auto wait = static_cast<int64_t>(static_cast<double>(queue_.size()) * size_.preemption);
    auto first = queue_.begin();
    auto second = queue_.end();
    bool started = false;
    const auto full = [&] { return used_ + chunk_bytes_ > size_.bytes; };
    while (full() && (first != queue_.end() || second != queue_.end() || !started)) {
        if (wait <= 0 && !started) {
            second = queue_.begin();
            started = true;
        }
        const auto taken = [&](Queue::iterator entry) {
            const auto next = std::next(entry);
            if (first == entry) first = next;
            if (second == entry) second = next;
            evict(entry, moved);
        };
        if (first != queue_.end()) {
            const auto here = first;
            if (is_whole(*here))
                taken(here);
            else
                ++first;
        }
        if (full() && second != queue_.end()) taken(second);
        --wait;
    }
}

}  // namespace quarry::analyze
