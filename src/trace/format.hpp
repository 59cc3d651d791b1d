// The trace file: the one definition that the writer, the reader and docs/formats/trace.md share.
//
// A trace is a directory with one file per process. A file is a sequence of slots of 64 bytes; the
// first 64 slots are the header, every other one begins a record or continues one. A record is
// there once its first eight bytes are: they are stored last, as one word. Slots that are still
// zero were reserved by a process that did not live to fill them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "model/connector_config.hpp"

namespace quarry::trace {

inline constexpr std::array<char, 8> kMagic{'Q', 'U', 'A', 'R', 'R', 'Y', 'T', 'R'};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kByteOrder = 0x01020304;
inline constexpr const char* kSuffix = ".qtrace";

inline constexpr size_t kSlotSize = 64;
inline constexpr size_t kHeaderSlots = 64;
inline constexpr size_t kSegmentSize = size_t{1} << 20;  // reserved and mapped at a time
inline constexpr size_t kSegmentSlots = kSegmentSize / kSlotSize;
inline constexpr size_t kMoreBytes = kSlotSize - 1;  // what a continuing slot carries
// A record lies within one segment; longer contents are cut into parts by whoever writes them.
inline constexpr size_t kMaxMore = 4000;

enum class State : uint32_t {
    Running = 1,  // or killed: which of the two, the process table tells
    Ended = 2,    // the process ended in order
    Stopped = 3,  // recording ended before the process did; `stop_reason` says why
};

enum class StopReason : uint32_t {
    None = 0,
    NoSpace = 1,    // the file could not grow
    SizeLimit = 2,  // --max-size
    Vanished = 3,   // the directory or file was removed
    NoMemory = 4,
};

// Other than HDF5.
enum class Files : uint8_t { Unknown = 0, Recorded = 1, NotRecorded = 2 };

struct Header {
    std::array<char, 8> magic;
    uint32_t version;
    uint32_t byte_order;
    uint32_t slot_size;
    uint32_t segment_size;
    uint32_t state;        // 1 running or killed, 2 ended, 3 recording stopped before
    uint32_t stop_reason;  // 1 no space, 2 size limit, 3 file removed, 4 no memory
    uint64_t stopped_at;   // or ended; monotonic nanoseconds; 0 while running
    uint64_t next_slot;    // the first slot that nobody has reserved
    uint64_t lost;         // records that could not be written
    uint64_t monotonic;    // both clocks at the same moment:
    uint64_t realtime;     // nanoseconds since 1970
    uint64_t process_age;  // when it was started, in clock ticks since boot: with pid, its identity
    uint64_t parent_age;
    uint32_t pid;
    uint32_t parent_pid;
    uint8_t level;  // 1 objects, 2 accesses, 3 io
    uint8_t files;  // other than HDF5: 1 are recorded, too; 2 are not; 0 nobody knows
    std::array<uint8_t, 6> unused;
    std::array<char, 40> boot;  // of the kernel; text, ends with a zero, as those below
    std::array<char, 64> host;
    std::array<char, 256> forked_from;  // name of the parent's file; empty if it is no fork
    uint64_t own_time;   // nanoseconds for which recording held the process up, about
    uint64_t loaded;     // monotonic nanoseconds: when our library was, maybe before a fork
    uint64_t execution;  // the same in all processes that a program has forked; 0 if nobody knows
    std::array<uint64_t, 14> ancestor_ages;
    std::array<uint32_t, 14> ancestors;  // pids of the parent's parent, and so on; then zeros
};

// What a slot holds. Numbers are never used again.
enum class Kind : uint8_t {
    Nothing = 0,
    More = 1,
    Text = 2,
    Process = 3,
    Task = 4,
    Thread = 5,
    Library = 6,
    FileOpened = 7,
    FileClosed = 8,
    Storage = 9,
    StorageClosed = 10,
    StorageBase = 11,
    Object = 12,
    ObjectOpened = 13,
    ObjectClosed = 14,
    Access = 15,
    Touch = 16,
    Io = 17,
    OtherFile = 18,
    OtherUse = 19,
    Unseen = 20,
    HeapUsed = 21,
    ChunkFound = 22,
    Derived = 23,
    Allocated = 24,
    Content = 25,
    Lengths = 26,
    FileState = 27,
    StorageModified = 28,
    StorageHandle = 29,
    StorageTouched = 30,
};

// Numbers that stand for nothing.
inline constexpr uint32_t kNone = 0;

struct Prefix {
    uint8_t kind;
    uint8_t flags;
    uint16_t thread;
    uint32_t more;  // slots that continue this record
};
static_assert(sizeof(Prefix) == 8);

}  // namespace quarry::trace
