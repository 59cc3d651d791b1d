// Reads a process's file of a trace, also while it is being written. Whatever the bytes are, what
// is sound in them is given and the rest is counted.
#pragma once

#include <algorithm>
#include <cstring>
#include <quarry/result.hpp>
#include <span>
#include <string>
#include <vector>

#include "trace/records.hpp"

namespace quarry::trace {

// What follows a record in slots of the kind More.
class Rest {
public:
    Rest(const std::byte* slots, size_t count) : slots_(slots), count_(count) {}

    size_t size() const { return count_ * kMoreBytes; }

    // The first `size` bytes of it, or as many as there are, behind those that `first` holds.
    std::string after(std::span<const char> first, size_t size) const;

private:
    const std::byte* slots_;
    size_t count_;
};

// What was not as it should be.
struct Damage {
    uint64_t unfilled = 0;   // slots that were reserved and never written: a process was killed
    uint64_t malformed = 0;  // slots that hold no record
    uint64_t missing = 0;    // bytes that the file should have and has not
};

class ProcessFile {
public:
    static Result<ProcessFile> open(const std::string& path);

    ProcessFile(ProcessFile&& other) noexcept;
    ProcessFile& operator=(ProcessFile&&) = delete;
    ~ProcessFile();

    const std::string& path() const { return path_; }
    const Header& header() const { return header_; }

    // Hands every sound record for which `visit` has an overload to it, in the order in which they
    // were begun: visit(const Io&, Rest).
    template <typename Visitor>
    Damage each(Visitor&& visit) const;

    // Whether there is a record of this kind.
    bool holds(Kind kind) const;

private:
    ProcessFile(std::string path, int file, const Header& header)
        : path_(std::move(path)), file_(file), header_(header) {}

    // As many as the file has of them.
    std::span<const std::byte> read_slots(size_t first, std::span<std::byte> buffer) const;
    size_t slots() const;

    std::string path_;
    int file_;
    Header header_;
};

// The files of a trace, by name, which is by time. An error where there is no trace.
Result<std::vector<std::string>> files_of_trace(const std::string& directory);

namespace detail {

template <typename Record, typename Visitor>
bool give(Visitor& visit, const std::byte* slot, const Rest& rest) {
    if constexpr (std::is_invocable_v<Visitor&, const Record&, const Rest&>) {
        Record record;
        std::memcpy(&record, slot, sizeof record);
        visit(record, rest);
    }
    return true;
}

// False for a kind that this version does not know.
template <typename Visitor>
bool dispatch(Visitor& visit, Kind kind, const std::byte* slot, const Rest& rest) {
    switch (kind) {
        case Kind::Text:
            return give<Text>(visit, slot, rest);
        case Kind::Process:
            return give<Process>(visit, slot, rest);
        case Kind::Task:
            return give<Task>(visit, slot, rest);
        case Kind::Thread:
            return give<Thread>(visit, slot, rest);
        case Kind::Library:
            return give<Library>(visit, slot, rest);
        case Kind::FileOpened:
            return give<FileOpened>(visit, slot, rest);
        case Kind::FileClosed:
            return give<FileClosed>(visit, slot, rest);
        case Kind::Storage:
            return give<Storage>(visit, slot, rest);
        case Kind::StorageModified:
            return give<StorageModified>(visit, slot, rest);
        case Kind::StorageTouched:
            return give<StorageTouched>(visit, slot, rest);
        case Kind::StorageHandle:
            return give<StorageHandle>(visit, slot, rest);
        case Kind::StorageClosed:
            return give<StorageClosed>(visit, slot, rest);
        case Kind::StorageBase:
            return give<StorageBase>(visit, slot, rest);
        case Kind::Object:
            return give<Object>(visit, slot, rest);
        case Kind::ObjectOpened:
            return give<ObjectOpened>(visit, slot, rest);
        case Kind::ObjectClosed:
            return give<ObjectClosed>(visit, slot, rest);
        case Kind::Access:
            return give<Access>(visit, slot, rest);
        case Kind::Touch:
            return give<Touch>(visit, slot, rest);
        case Kind::Io:
            return give<Io>(visit, slot, rest);
        case Kind::OtherFile:
            return give<OtherFile>(visit, slot, rest);
        case Kind::OtherUse:
            return give<OtherUse>(visit, slot, rest);
        case Kind::Unseen:
            return give<Unseen>(visit, slot, rest);
        case Kind::HeapUsed:
            return give<HeapUsed>(visit, slot, rest);
        case Kind::ChunkFound:
            return give<ChunkFound>(visit, slot, rest);
        case Kind::Allocated:
            return give<Allocated>(visit, slot, rest);
        case Kind::Content:
            return give<Content>(visit, slot, rest);
        case Kind::Lengths:
            return give<Lengths>(visit, slot, rest);
        case Kind::FileState:
            return give<FileState>(visit, slot, rest);
        case Kind::Derived:
            return give<Derived>(visit, slot, rest);
        case Kind::Nothing:
        case Kind::More:
            break;
    }
    return false;
}

// How many slots of `segment` from `at` on continue a record, at most `wanted`.
size_t count_more(std::span<const std::byte> segment, size_t at, size_t wanted);

}  // namespace detail

template <typename Visitor>
Damage ProcessFile::each(Visitor&& visit) const {
    Damage damage;
    std::vector<std::byte> buffer(kSegmentSize);
    const size_t all = slots();
    for (size_t first = 0; first < all; first += kSegmentSlots) {
        const std::span<const std::byte> segment = read_slots(first, buffer);
        const size_t wanted = std::min(all - first, kSegmentSlots);
        const size_t present = std::min(segment.size() / kSlotSize, wanted);
        damage.missing += (wanted - present) * kSlotSize;
        size_t at = first == 0 ? kHeaderSlots : 0;
        bool is_gap = false;
        while (at < present) {
            const std::byte* slot = segment.data() + at * kSlotSize;
            Prefix prefix;
            std::memcpy(&prefix, slot, sizeof prefix);
            const size_t more = detail::count_more(segment, at + 1, prefix.more);
            // What continues a record is written before its beginning.
            const bool is_unbegun = is_gap && prefix.kind == static_cast<uint8_t>(Kind::More);
            is_gap = is_unbegun || prefix.kind == static_cast<uint8_t>(Kind::Nothing);
            if (is_gap) {
                ++damage.unfilled;
                ++at;
            } else if (more == prefix.more &&
                       detail::dispatch(visit, static_cast<Kind>(prefix.kind), slot,
                                        Rest(slot + kSlotSize, more))) {
                at += 1 + more;
            } else {
                ++damage.malformed;
                ++at;
            }
        }
    }
    return damage;
}

}  // namespace quarry::trace
