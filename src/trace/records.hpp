// The records of a trace, each as it lies in its first slot. What does not fit follows in slots of
// the kind More. Times are nanoseconds of the monotonic clock; names are numbers of Text records.
#pragma once

#include "trace/format.hpp"

namespace quarry::trace {

// A name, given a number. The same text may have several.
struct Text {
    static constexpr Kind kKind = Kind::Text;
    Prefix prefix;
    uint32_t number;
    uint32_t size;
    std::array<char, 48> bytes;  // then More
};

struct Process {
    static constexpr Kind kKind = Kind::Process;
    Prefix prefix;
    uint64_t time;
    uint32_t command;    // arguments, each ended by a zero byte, secrets taken out
    uint32_t directory;  // working directory at the start
    uint32_t program;    // path of the executable, as it was started
    uint32_t user_id;
    int32_t rank;  // of a parallel job; -1 without
    int32_t ranks;
    uint32_t job;  // name and number of the batch job
    uint32_t unused;
    uint64_t unused_too;
    uint64_t unused_either;
};

enum class TaskSource : uint8_t { Command, Option, Environment, Step };

// From here on the process works for this task.
struct Task {
    static constexpr Kind kKind = Kind::Task;
    Prefix prefix;  // flags: TaskSource
    uint64_t time;
    uint32_t name;
    uint32_t variable;  // that it was taken from
    std::array<uint64_t, 5> unused;
};

struct Thread {
    static constexpr Kind kKind = Kind::Thread;
    Prefix prefix;  // its number in this file
    uint64_t time;
    uint64_t system_number;
    std::array<uint64_t, 5> unused;
};

// An HDF5 library in the process.
struct Library {
    static constexpr Kind kKind = Kind::Library;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t path;
    uint32_t major;
    uint32_t minor;
    uint32_t release;
    uint32_t unused;
    std::array<uint64_t, 3> unused_too;
};

enum FileFlag : uint8_t {
    kFileWritable = 1,
    kFileCreated = 2,
    kFileFailed = 4,
    kFileCarved = 8,  // the program runs on carved data, and there is a copy of it
};

// A file as the program opened it.
struct FileOpened {
    static constexpr Kind kKind = Kind::FileOpened;
    Prefix prefix;  // flags: FileFlag
    uint64_t start;
    uint64_t duration;
    uint32_t number;
    uint32_t name;  // as the program gave it
    uint32_t library;
    uint32_t storage;
    uint32_t mode;  // HDF5's flags: 1 writable, 2 truncated, 4 exclusive, 32 and 64 SWMR
    uint32_t operation;
    std::array<uint64_t, 2> unused;
};

struct FileClosed {
    static constexpr Kind kKind = Kind::FileClosed;
    Prefix prefix;
    uint64_t start;
    uint64_t duration;
    uint32_t number;
    uint32_t operation;
    std::array<uint64_t, 4> unused;
};

// A file as HDF5's driver opened it: also those that links and virtual datasets lead to.
struct Storage {
    static constexpr Kind kKind = Kind::Storage;
    Prefix prefix;  // flags: FileFlag
    uint64_t time;
    uint32_t number;
    uint32_t path;  // absolute
    uint32_t driver;
    uint32_t library;
    uint64_t device;  // 0 where there is no file to look at
    uint64_t inode;
    uint64_t born;  // when the file was made, in nanoseconds since 1970; 0 if nobody knows
    uint64_t size;  // when it was opened
};

// When the file was last written to before it was opened: by this it is known again.
struct StorageModified {
    static constexpr Kind kKind = Kind::StorageModified;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t unused;
    uint64_t modified;  // in nanoseconds since 1970
    std::array<uint64_t, 4> unused_too;
};

// The file has got another time of change and no other data: HDF5 has written its superblock again.
struct StorageTouched {
    static constexpr Kind kKind = Kind::StorageTouched;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t unused;
    uint64_t before;  // when it was last written to, in nanoseconds since 1970
    uint64_t after;
    std::array<uint64_t, 3> unused_too;
};

// The program has asked HDF5 for what its driver reads the file with, or for an image of the file:
// any byte may have been read.
struct StorageHandle {
    static constexpr Kind kKind = Kind::StorageHandle;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t unused;
    std::array<uint64_t, 5> unused_too;
};

struct StorageClosed {
    static constexpr Kind kKind = Kind::StorageClosed;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t unused;
    uint64_t size;  // in bytes; of a file that could only be read, as it was when it was opened
    std::array<uint64_t, 4> unused_too;
};

// Addresses that HDF5 tells of this storage begin here: it has a user block.
struct StorageBase {
    static constexpr Kind kKind = Kind::StorageBase;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t unused;
    uint64_t base;
    std::array<uint64_t, 4> unused_too;
};

enum class ObjectType : uint8_t { Unknown, Group, Dataset, NamedType };

// An object, when it is first met; a dataset also before its data is first used, or when it is
// closed without, then with its description, and whenever that has changed.
struct Object {
    static constexpr Kind kKind = Kind::Object;
    Prefix prefix;  // flags: ObjectType
    uint32_t number;
    uint32_t path;
    uint32_t description;  // JSON: type, shape, layout, chunks, filters ...
    uint32_t storage;
    uint64_t time;
    std::array<uint8_t, 16> token;  // its identity in that file
    uint64_t address;               // of contiguous data; all ones where there is none
    uint64_t stored;                // bytes there
};

enum OpenFlag : uint8_t { kObjectCreated = 1 };

struct ObjectOpened {
    static constexpr Kind kKind = Kind::ObjectOpened;
    Prefix prefix;  // flags: OpenFlag
    uint32_t number;
    uint32_t operation;
    uint64_t start;
    uint64_t duration;
    std::array<uint64_t, 4> unused;
};

struct ObjectClosed {
    static constexpr Kind kKind = Kind::ObjectClosed;
    Prefix prefix;
    uint32_t number;
    uint32_t operation;
    uint64_t start;
    uint64_t duration;
    std::array<uint64_t, 4> unused;
};

enum AccessFlag : uint8_t {
    kAccessWrite = 1,
    kAccessChunk = 2,  // a chunk as it is stored, past the filters
    kAccessFailed = 4,
};

// Data of a dataset moved, with its selection as model/selection encodes it.
struct Access {
    static constexpr Kind kKind = Kind::Access;
    static constexpr size_t kInline = 12;
    Prefix prefix;  // flags: AccessFlag
    uint32_t object;
    uint32_t operation;
    uint64_t start;
    uint64_t duration;
    uint64_t elements;
    uint64_t bytes;  // elements times the size of the stored type
    uint32_t selection_size;
    std::array<uint8_t, kInline> selection;  // then More
};

enum class Touched : uint8_t {
    Attribute,
    AttributeList,
    Link,
    LinkList,
    Information,
    Flush,
    Extent,
};
enum TouchFlag : uint8_t { kTouchWrite = 1 };

// Anything else that an operation does to an object: attributes, links, properties.
struct Touch {
    static constexpr Kind kKind = Kind::Touch;
    Prefix prefix;  // flags: TouchFlag
    uint32_t object;
    uint32_t operation;
    uint64_t start;
    uint64_t duration;
    uint32_t name;  // of the attribute or link
    uint8_t what;   // Touched
    std::array<uint8_t, 3> unused;
    uint64_t bytes;
    std::array<uint64_t, 2> unused_too;
};

enum IoFlag : uint8_t {
    kIoWrite = 1,
    kIoFailed = 2,
    kIoDiscarded = 4,   // written to memory only: the file stays as it is
    kIoSuperblock = 8,  // written, and nothing else: by itself that changes no data
};

// Bytes that HDF5's driver moved.
struct Io {
    static constexpr Kind kKind = Kind::Io;
    Prefix prefix;  // flags: IoFlag
    uint32_t storage;
    uint32_t object;  // during whose operation
    uint32_t operation;
    uint8_t
        memory;  // 0 mixed, 1 superblock, 2 B-tree, 3 raw or global heap, 5 local heap, 6 header
    std::array<uint8_t, 3> unused;
    uint64_t address;
    uint64_t size;
    uint64_t start;
    uint64_t duration;
    uint64_t unused_too;
};

// Variable-length values of an object went into the global heap, whose parts HDF5 writes later,
// with no call of that object.
struct HeapUsed {
    static constexpr Kind kKind = Kind::HeapUsed;
    Prefix prefix;
    uint32_t object;
    uint32_t operation;
    uint64_t time;
    uint64_t address;  // of that part of the heap
    std::array<uint64_t, 4> unused;
};

enum ContentFlag : uint8_t {
    kContentWritten = 1,
};

// What values an access has moved, as far as a few of them tell: equal ones have the same number.
struct Content {
    static constexpr Kind kKind = Kind::Content;
    Prefix prefix;  // flags: ContentFlag
    uint32_t object;
    uint32_t operation;
    uint64_t time;
    uint64_t bytes;        // as stored, before any filter
    uint64_t fingerprint;  // 0 if all values looked at are the same
    std::array<uint64_t, 3> unused;
};

// How long the values of variable length were that an operation has put into the heap.
struct Lengths {
    static constexpr Kind kKind = Kind::Lengths;
    Prefix prefix;
    uint32_t object;
    uint32_t operation;
    uint64_t time;
    uint64_t count;
    uint64_t shortest;  // bytes
    uint64_t longest;
    uint64_t total;
    uint64_t unused;
};

// What HDF5 says of a file before it is closed.
struct FileState {
    static constexpr Kind kKind = Kind::FileState;
    Prefix prefix;
    uint32_t file;  // number of a FileOpened
    uint32_t operation;
    uint64_t time;
    uint64_t free;        // bytes that nothing uses any more
    uint32_t superblock;  // its version
    uint32_t page_size;   // 0 where space is not given out in pages
    std::array<uint64_t, 3> unused;
};

// A chunk that HDF5 had written when it flushed its file, with no call of its dataset.
struct ChunkFound {
    static constexpr Kind kKind = Kind::ChunkFound;
    Prefix prefix;
    uint32_t object;
    uint32_t unused;
    uint64_t time;
    uint64_t address;
    uint64_t size;
    std::array<uint64_t, 3> unused_too;
};

// The file grew, to make room for metadata. HDF5 writes it later, with no word of whose it is.
struct Allocated {
    static constexpr Kind kKind = Kind::Allocated;
    Prefix prefix;
    uint32_t storage;
    uint32_t object;  // during whose operation
    uint32_t operation;
    uint32_t unused;
    uint64_t time;
    uint64_t address;
    uint64_t size;
    std::array<uint64_t, 2> unused_too;
};

enum DerivedFlag : uint8_t {
    kDerivedWrite = 1,
    kDerivedFailed = 4,
    kDerivedAtMost = 8,   // which part was selected is not known
    kDerivedLinear = 16,  // it is told by numbers of elements in the order in which they are stored
};

// An access to a virtual dataset led to one of its sources: what HDF5 did inside follows from the
// mapping.
struct Derived {
    static constexpr Kind kKind = Kind::Derived;
    static constexpr size_t kInline = 16;
    Prefix prefix;    // flags: DerivedFlag
    uint32_t object;  // the virtual dataset
    uint32_t operation;
    uint32_t file;     // as the mapping names it; "." is the virtual dataset's own
    uint32_t dataset;  // path in that file
    uint64_t time;
    uint64_t elements;
    uint32_t selection_size;
    uint32_t element_size;
    std::array<uint8_t, kInline> selection;  // then More
};

// A file that the program used without HDF5.
struct OtherFile {
    static constexpr Kind kKind = Kind::OtherFile;
    Prefix prefix;
    uint64_t time;
    uint32_t number;
    uint32_t path;  // absolute
    uint64_t device;
    uint64_t inode;
    uint64_t born;      // in nanoseconds since 1970; 0 if nobody knows
    uint64_t size;      // when it was opened
    uint64_t modified;  // when it was last written to before; 0 in older traces
};

enum UseFlag : uint8_t {
    kUseReads = 1,
    kUseWrites = 2,
    kUseCreated = 4,
    kUseInherited = 8,   // it was open already when the program began
    kUseMapped = 16,     // into memory, where accesses cannot be seen; those bytes count as read
    kUseElsewhere = 32,  // the first read, or one of a stream, was not from its beginning
    kUseUncounted = 64,  // a stream may have read more than was counted
};

// Such a file while it is open. The counts grow in place.
struct OtherUse {
    static constexpr Kind kKind = Kind::OtherUse;
    Prefix prefix;  // flags: UseFlag, as it was opened
    uint32_t number;
    uint32_t flags;  // UseFlag, with what has happened since
    uint64_t opened;
    uint64_t last;  // time of the last access
    uint64_t read;  // bytes
    uint64_t written;
    uint32_t reads;  // calls; those of C's buffered streams are not seen one by one
    uint32_t writes;
    uint64_t unused;
};

enum class UnseenReason : uint8_t { Static, Privileged, ClearedEnvironment };

// A program that this process started and whose use of other files cannot be seen.
struct Unseen {
    static constexpr Kind kKind = Kind::Unseen;
    Prefix prefix;  // flags: UnseenReason
    uint64_t time;
    uint32_t program;
    uint32_t unused;
    std::array<uint64_t, 5> unused_too;
};

}  // namespace quarry::trace
