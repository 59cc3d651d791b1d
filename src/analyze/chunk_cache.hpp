// HDF5's cache of chunks, as far as it decides what is read and written: one entry in a slot, the
// slot given by the place of the chunk; whoever was used moves one place back in the queue; from
// the front of it, first those go that have been read or written whole.
#pragma once

#include <cstdint>
#include <list>
#include <quarry/what_if.hpp>
#include <unordered_map>

namespace quarry::analyze {

struct CacheSize {
    uint64_t bytes = 1 << 20;
    uint64_t slots = 521;
    double preemption = 0.75;  // part of the queue that is searched for whole ones first
};

class ChunkCache {
public:
    ChunkCache(const CacheSize& size, uint64_t chunk_bytes)
        : size_(size), chunk_bytes_(chunk_bytes) {}

    struct Use {
        uint64_t chunk = 0;   // its number
        uint64_t hash = 0;    // before it is cut to the number of slots
        uint64_t bytes = 0;   // that are read or written
        uint64_t stored = 0;  // that the chunk has in the file
        bool writes = false;
        bool exists = true;  // in the file
    };
    void use(const Use& use, RawTraffic& moved);

    // All that was changed is written, and forgotten with the rest.
    void close(RawTraffic& moved);

private:
    struct Entry {
        uint64_t chunk;
        uint64_t slot;
        uint64_t stored;
        uint64_t left_to_read;
        uint64_t left_to_write;
        bool is_dirty;
    };
    using Queue = std::list<Entry>;

    void evict(Queue::iterator entry, RawTraffic& moved);
    void make_room(RawTraffic& moved);
    bool is_whole(const Entry& entry) const;

    CacheSize size_;
    uint64_t chunk_bytes_;
    uint64_t used_ = 0;
    Queue queue_;
    std::unordered_map<uint64_t, Queue::iterator> slots_;
};

}  // namespace quarry::analyze
