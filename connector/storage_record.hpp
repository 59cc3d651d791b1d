// Files as HDF5's drivers have them open, and the objects in them that have been met.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "connector/file_facts.hpp"
#include "connector/recorder.hpp"
#include "hdf5/describe.hpp"

namespace quarry::connector {

struct StorageRecord;

struct Place {
    uint64_t address = HADDR_UNDEF;
    uint64_t size = 0;
};

// Parts of the description of a dataset; empty where it has not been asked for them.
struct DescriptionParts {
    std::optional<Place> place;
    std::optional<hdf5::PlainType> plain_type;
    std::string type;  // where it is not plain
    std::optional<hdf5::Shape> shape;
    bool is_in_one_piece = false;
    std::string layout;  // where it is not
};

// What has been recorded of an object and is needed again.
struct KnownObject {
    StorageRecord* storage = nullptr;  // while any handle of it is open
    uint32_t number = trace::kNone;
    uint32_t path = trace::kNone;  // created without a link, it gets its path with the first one
    H5O_token_t token{};
    uint64_t met = 0;  // when it was first met
    trace::ObjectType type = trace::ObjectType::Unknown;
    bool is_described = false;                // a dataset, by all that follows
    std::unique_ptr<DescriptionParts> parts;  // until then
    uint64_t elements = 0;                    // of the whole dataset
    uint64_t element_size = 0;                // as stored
    int rank = -1;
    std::vector<uint64_t> chunk;  // its shape, if it has chunks
    bool is_contiguous = false;
    bool is_virtual = false;
    bool was_made = false;              // while it was recorded
    bool was_written = false;           // since its chunks were last looked at
    bool was_read_with_others = false;  // in one call, and since then
    size_t chunks_seen = 0;
    uint64_t address = ~uint64_t{0};
};

struct TokenHash {
    size_t operator()(const H5O_token_t& token) const {
        uint64_t words[2];
        std::memcpy(words, &token, sizeof words);
        return words[0] ^ (words[1] * 0x9e3779b97f4a7c15);
    }
};
struct TokenEqual {
    bool operator()(const H5O_token_t& left, const H5O_token_t& right) const {
        return std::memcmp(&left, &right, sizeof left) == 0;
    }
};
// Their places in memory stay, also when the whole is moved.
using KnownObjects = std::unordered_map<H5O_token_t, KnownObject, TokenHash, TokenEqual>;

// Which file it is, and in which state: equal means that nothing in it has changed.
struct FileIdentity {
    uint64_t device = 0;  // 0 where there is no file to look at
    uint64_t inode = 0;
    uint64_t size = 0;
    uint64_t born = 0;  // in nanoseconds; 0 if nobody knows
    int64_t modified = 0;

    bool operator==(const FileIdentity&) const = default;
};

struct StorageRecord {
    uint32_t number = trace::kNone;
    Library* library = nullptr;
    const H5FD_t* file = nullptr;  // HDF5 gives it its serial number after our driver has opened it
    unsigned long serial = 0;      // where there is no `file`
    int life = 0;                  // of the library, in each of which they begin anew
    std::string path;
    FileIdentity identity;
    uint64_t base = 0;
    unsigned flags = 0;
    const char* driver = "";
    bool is_in_memory = false;  // what is written to it does not get into the file
    bool is_carved = false;     // maybe a carved copy
    bool is_written = false;    // into the trace
    bool has_new_data = false;  // written by HDF5 since it was opened
    bool is_described = false;  // there, by what HDF5 says of it
    // Addresses of raw data that was moved with no call of an object, or of several at once.
    std::set<haddr_t> unowned;
    KnownObjects objects;
    std::optional<FileFacts> facts;  // once it has told them, where it can only be read
    uint64_t path_search = 0;        // nanoseconds spent looking for paths
};

// Of those that a driver of ours has opened.
inline bool is_writable(const StorageRecord& storage) {
    return (storage.flags & 1u) != 0;
}

// Whether it is open in several ranks of a parallel program.
inline bool is_parallel(const StorageRecord& storage) {
    return storage.file != nullptr && (storage.file->feature_flags & H5FD_FEAT_HAS_MPI) != 0;
}

FileIdentity identity_of_path(const std::string& path) noexcept;
// Of the file that a driver has open, by this path.
FileIdentity identity_of(H5FD_t& inner, const std::string& path) noexcept;

// A driver opened a file, which is `inner` to it and `file` to HDF5. Null if memory is short.
StorageRecord* open_storage(Library& library, const H5FD_t& file, H5FD_t& inner, const char* name,
                            unsigned flags) noexcept;
void close_storage(StorageRecord* storage) noexcept;

// Puts into the trace what is known now, the first time.
void write_storage(StorageRecord& storage, trace::Writer& writer) noexcept;

// The one of a file that was just opened under `name` and that HDF5 has given this number, which is
// all that is known where no driver of ours has seen it. Null if memory is short.
StorageRecord* storage_of_file(Library& library, unsigned long serial, const char* name) noexcept;

// The one that HDF5 has given this number; made without a driver's file if there is none.
StorageRecord* storage_with_serial(Library& library, unsigned long serial) noexcept;

}  // namespace quarry::connector
