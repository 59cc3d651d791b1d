// Who used what of which data, and how: the answer that a trace gives.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry {

// A step of a workflow: the processes that worked under one name.
struct TaskFacts {
    std::string name;
    uint64_t begin = 0;  // nanoseconds since 1970
    uint64_t end = 0;
    std::vector<uint32_t> processes;
};

// An HDF5 library that a process has loaded.
struct LibraryFacts {
    std::string path;
    std::string version;

    bool operator==(const LibraryFacts&) const = default;
};

// Tells a process from others that have had its number.
struct ProcessNumber {
    uint32_t pid = 0;
    uint64_t age = 0;  // when it was started, in clock ticks since boot

    auto operator<=>(const ProcessNumber&) const = default;
};

struct ProcessFacts {
    std::string host;
    uint32_t pid = 0;
    uint32_t parent_pid = 0;
    int32_t rank = -1;
    std::vector<std::string> command;
    std::string directory;
    std::string program;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t started = 0;     // to a hundredth of a second; recording begins with its first file
    uint64_t held_up = 0;     // by recording, in nanoseconds, about
    bool ended = false;       // in order; otherwise it runs still, or was killed
    bool is_running = false;  // on this machine; of others nobody knows
    uint64_t gone = 0;        // when it ended in order; 0 if nobody knows
    std::string incomplete;   // why not all of it is recorded, and from when; empty if all is
    std::vector<LibraryFacts> libraries;
    ProcessNumber number;                  // its own
    std::vector<ProcessNumber> ancestors;  // its parent's parent, and so on
    // The same for all that a program has forked, and when that was started, about; 0 if nobody
    // knows.
    uint64_t execution = 0;
    uint64_t loaded = 0;
};

struct FileFacts {
    std::string path;  // the first by which it was opened
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t size = 0;        // when it was last closed, or opened
    std::string driver;       // by which HDF5 opened it; empty if it never did
    uint64_t free = 0;        // of its size, what nothing used any more when it was last closed
    uint32_t superblock = 0;  // its version, counted from 1; 0 if it is not known
    uint32_t page_size = 0;   // 0 where space is not given out in pages
    uint64_t born = 0;        // in nanoseconds since 1970; 0 if nobody knows
};

enum class ObjectKind : uint8_t { Unknown, Group, Dataset, NamedType };
const char* name_of(ObjectKind kind);

struct ObjectFacts {
    uint32_t file = 0;
    std::string path;
    ObjectKind kind = ObjectKind::Unknown;
    std::string description;  // JSON, of datasets
};

// Counts of what a task did with an object, or with all of a file, or with anything.
struct Usage {
    uint64_t opens = 0;
    uint64_t reads = 0;  // calls of the program that move data
    uint64_t writes = 0;
    uint64_t touches = 0;        // of attributes, links, properties
    uint64_t selected_read = 0;  // bytes that the program asked for
    uint64_t selected_written = 0;
    uint64_t ios = 0;
    uint64_t metadata_ios = 0;
    uint64_t moved_read = 0;  // bytes between HDF5 and the file
    uint64_t moved_written = 0;
    uint64_t metadata_bytes = 0;
    uint64_t unique_bytes = 0;  // different bytes of the file among those moved
    uint64_t sequential = 0;    // I/Os that begin where the one before ended
    uint64_t strided = 0;       // that are as far from the one before as that was from its own
    uint64_t io_time = 0;       // nanoseconds
    uint64_t write_ios = 0;     // of all I/Os, of their time and of metadata, what was written
    uint64_t write_time = 0;
    uint64_t metadata_written = 0;
    uint64_t access_time = 0;
    uint64_t derived_read = 0;  // asked for by way of a virtual dataset, or from external data
    uint64_t derived_written = 0;
    uint64_t other_read = 0;  // bytes moved without HDF5
    uint64_t other_written = 0;
    uint64_t credited_otherwise = 0;  // bytes whose address and whose operation name two objects

    Usage& operator+=(const Usage& other);
};

inline constexpr uint32_t kNobody = ~uint32_t{0};

// Of one task, file and object; kNobody where a row stands for all of them.
struct UsageRow {
    uint32_t task = kNobody;
    uint32_t file = kNobody;
    uint32_t object = kNobody;
    Usage usage;
};

struct TraceFacts {
    std::string directory;
    std::vector<TaskFacts> tasks;
    std::vector<ProcessFacts> processes;
    std::vector<FileFacts> files;
    std::vector<ObjectFacts> objects;
    std::vector<std::string>
        unseen;  // programs whose use of other files could not be seen, and why
    uint64_t records = 0;
    uint64_t lost_records = 0;          // at least; could not be written
    uint64_t uncredited_bytes = 0;      // moved, and nobody can say to which object they belong
    std::vector<std::string> problems;  // whole sentences: damaged files, missing parts
};

// What was moved when. The time from the first record to the last is cut into equal parts.
struct Activity {
    struct Amount {
        uint32_t part = 0;
        uint64_t read = 0;  // bytes, by HDF5 or without it
        uint64_t written = 0;
        uint64_t ios = 0;  // of HDF5
    };
    static constexpr uint32_t kParts = 240;
    uint64_t begin = 0;  // nanoseconds since 1970
    uint64_t end = 0;
    std::vector<std::vector<Amount>> tasks;  // each in order, without parts in which nothing moved
};

// What of an object was moved in one region of its file; all regions are of the same size.
struct RegionRow {
    uint32_t task = kNobody;
    uint32_t file = kNobody;
    uint32_t object = kNobody;
    uint64_t region = 0;  // the first is 0
    uint64_t read = 0;
    uint64_t written = 0;
    uint64_t metadata = 0;  // of both
    uint64_t ios = 0;
};

struct TraceSummary {
    TraceFacts facts;
    std::vector<UsageRow> rows;  // one per task, file and object
    Activity activity;
    uint64_t region_size = 0;
    std::vector<RegionRow> regions;  // only where a size was asked for
};

// Told now and then how many of all records have been gone through.
using Progress = std::function<void(uint64_t done, uint64_t all)>;

// Who and what is in a trace, without counting what was done.
Result<TraceFacts> facts_of_trace(const std::string& directory);

// With the regions of files where `region_size` says how large they are to be.
Result<TraceSummary> summarize_trace(const std::string& directory, uint64_t region_size = 0);

// Writes everything that happened; see docs/formats/export.md.
enum class TextFormat { Jsonl, Csv, Chrome };
Result<TraceFacts> export_text(const std::string& directory, TextFormat format, std::FILE* out,
                               const Progress& progress = {});
// The same as a database, in a file that does not exist yet.
Result<TraceFacts> export_sqlite(const std::string& directory, const std::string& path,
                                 const Progress& progress = {});

// Rows added up: by task, or by task and file.
enum class UsageGrain { Task, File, Object };
std::vector<UsageRow> rows_by(const TraceSummary& summary, UsageGrain grain);

}  // namespace quarry
