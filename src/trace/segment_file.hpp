// A file that grows by segments, each reserved on the disk before it is mapped. It is open only
// meanwhile: programs see the numbers of their files in messages, and some close all they do not
// know, after which a number of ours would be that of another file.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "trace/directory.hpp"
#include "trace/format.hpp"

namespace quarry::trace {

// Why a file cannot be made, or cannot grow.
struct Obstacle {
    StopReason reason = StopReason::None;
    int error = 0;  // errno, where there is one
};

class SegmentFile {
public:
    // Makes a new file in `directory`, which is seen there with its header.
    bool create(const char* directory, const char* forked_from, RecordLevel level,
                Obstacle& obstacle) noexcept;

    // Room for `slots` consecutive ones, all zero, by any thread; null if the file cannot grow.
    // `limit` is for the whole trace, in bytes; 0 for none.
    std::byte* reserve(size_t slots, uint64_t limit, Obstacle& obstacle) noexcept {
        // Their count lies in the file: even a child that we have not heard of, made by a bare
        // clone(), cannot write over its parent's records.
        const std::atomic_ref<uint64_t> next(header_->next_slot);
        while (true) {
            const uint64_t first = next.fetch_add(slots, std::memory_order_relaxed);
            const size_t number = first / kSegmentSlots;
            // What is left at the end of a segment stays zero.
            if ((first + slots - 1) / kSegmentSlots != number) continue;
            if (number >= kSegments) {
                obstacle = {StopReason::SizeLimit, 0};
                return nullptr;
            }
            std::byte* start = segments_[number].load(std::memory_order_acquire);
            if (start == nullptr) start = map_segment(number, limit, obstacle);
            return start != nullptr ? start + (first % kSegmentSlots) * kSlotSize : nullptr;
        }
    }

    // Gives back what is reserved beyond the last slot in use; the mappings stay. False if the file
    // has vanished.
    bool trim() noexcept;

    // A child lets go of its parent's file but for the header; nobody else uses it meanwhile.
    Header* leave() noexcept;
    static void let_go(Header* header) noexcept;

    Header& header() { return *header_; }
    const char* name() const;

private:
    static constexpr size_t kSegments = 65536;

    bool begin(const UnlistedFile& file, const char* forked_from, RecordLevel level,
               Obstacle& obstacle) noexcept;
    std::byte* map_segment(size_t number, uint64_t limit, Obstacle& obstacle) noexcept;
    std::byte* map_segment_of(int file, size_t number, Obstacle& obstacle) noexcept;
    bool exceeds(uint64_t limit) const noexcept;
    int open_again() const noexcept;

    PathBuffer path_{};
    size_t directory_size_ = 0;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
    Header* header_ = nullptr;
    std::atomic<pthread_t> mapping_{0};  // the thread that is at it
    struct Freed {
        void operator()(std::atomic<std::byte*>* table) const { std::free(table); }
    };
    // Of zeros that take no memory before they are changed, which no constructor could promise.
    std::unique_ptr<std::atomic<std::byte*>[], Freed> segments_;
    size_t highest_ = 0;  // of those that are mapped
};

}  // namespace quarry::trace
