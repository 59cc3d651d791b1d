#include "connector/storage_record.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <list>
#include <mutex>
#include <new>

#include "base/file_times.hpp"
#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "base/keep_errno.hpp"
#include "connector/carved_file.hpp"

namespace quarry::connector {
namespace {

std::mutex mutex;
[[maybe_unused]] const bool mutex_is_free = keep_free_across_fork<mutex>();

Immortal<std::list<StorageRecord>> open_storages;

// H5F_ACC_CREAT, the name of which calls a function of the library.
constexpr unsigned kCreates = 0x10;

// What was known of files that are closed now: programs open the same ones again and again.
constexpr size_t kRemembered = 64;
constexpr size_t kRememberedObjects = 10000;
struct Remembered {
    FileIdentity identity;
    std::string path;
    KnownObjects objects;
    std::optional<FileFacts> facts;
};
Immortal<std::list<Remembered>> remembered;

std::string absolute(const char* name) {
    std::array<char, PATH_MAX> directory;
    if (name[0] == '/' || getcwd(directory.data(), directory.size()) == nullptr) return name;
    return std::string(directory.data()) + "/" + name;
}

FileIdentity identity_at(int directory, const char* path, int flags) {
    const KeepErrno keep;
    struct statx status{};
    const bool there =
        statx(directory, path, flags, STATX_BASIC_STATS | STATX_BTIME, &status) == 0 &&
        S_ISREG(status.stx_mode);
    if (!there) return {};
    const bool knows_birth = (status.stx_mask & STATX_BTIME) != 0;
    return {makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino, status.stx_size,
            knows_birth ? nanoseconds(status.stx_btime) : 0,
            static_cast<int64_t>(nanoseconds(status.stx_mtime))};
}

// As the driver "core" has it without a backing store: what is written is never in a file.
bool stays_in_memory(const H5FD_t& inner) {
    return std::strcmp(inner.cls->name, "core") == 0 &&
           (inner.feature_flags & H5FD_FEAT_DEFAULT_VFD_COMPATIBLE) == 0;
}

// When it is closed. What was changed in memory is not what is in the file.
FileIdentity identity_now(const StorageRecord& storage) {
    if (!is_writable(storage)) return storage.identity;
    return storage.is_in_memory ? FileIdentity{} : identity_of_path(storage.path);
}

void recall(StorageRecord& storage) {
    const FileIdentity& now = storage.identity;
    for (auto entry = remembered->begin(); entry != remembered->end(); ++entry) {
        if (entry->identity.device != now.device || entry->identity.inode != now.inode) continue;
        // Without the time of its birth, whoever reads the trace tells it by its path.
        const bool is_told_by_path = now.born == 0;
        if (entry->identity == now && (!is_told_by_path || entry->path == storage.path)) {
            storage.objects = std::move(entry->objects);
            storage.facts = entry->facts;
        }
        remembered->erase(entry);
        return;
    }
}

void remember(StorageRecord& storage, const FileIdentity& now) {
    if (now.device == 0 || now != storage.identity || storage.objects.size() > kRememberedObjects) {
        return;
    }
    try {
        remembered->push_front({now, storage.path, std::move(storage.objects), storage.facts});
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
    if (remembered->size() > kRemembered) remembered->pop_back();
}

bool is_with_serial(const StorageRecord& storage, const Library& library, unsigned long serial) {
    if (storage.library != &library) return false;
    if (storage.file != nullptr) return storage.file->fileno == serial;
    return storage.serial == serial && storage.life == library.life;
}

}  // namespace

FileIdentity identity_of_path(const std::string& path) noexcept {
    return identity_at(AT_FDCWD, path.c_str(), 0);
}

// HDF5's default driver has a descriptor, and to look at that takes a fifth of what looking at a
// path does. What the handles of others are, they alone know.
FileIdentity identity_of(H5FD_t& inner, const std::string& path) noexcept {
    void* handle = nullptr;
    const bool has_descriptor =
        std::strcmp(inner.cls->name, "sec2") == 0 && inner.cls->get_handle != nullptr &&
        inner.cls->get_handle(&inner, H5P_DEFAULT, &handle) >= 0 && handle != nullptr;
    if (!has_descriptor) return identity_of_path(path);
    return identity_at(*static_cast<const int*>(handle), "", AT_EMPTY_PATH);
}

StorageRecord* open_storage(Library& library, const H5FD_t& file, H5FD_t& inner, const char* name,
                            unsigned flags) noexcept {
    trace::Writer* writer = recorder();
    if (writer == nullptr) return nullptr;
    try {
        std::list<StorageRecord> made;
        StorageRecord& storage = made.emplace_front();
        storage.number = writer->new_number();
        storage.library = &library;
        storage.file = &file;
        storage.path = absolute(name);
        storage.flags = flags;
        storage.is_in_memory = stays_in_memory(inner);
        // Made in memory, it has nothing to do with what may lie at its path.
        const bool is_of_file = !storage.is_in_memory || (flags & kCreates) == 0;
        if (is_of_file) storage.identity = identity_of(inner, storage.path);
        storage.driver = inner.cls->name;
        storage.is_carved = has_carved_copy(name);
        const std::lock_guard guard(mutex);
        recall(storage);
        open_storages->splice(open_storages->begin(), made);
        return &storage;
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
        return nullptr;
    }
}

void close_storage(StorageRecord* storage) noexcept {
    // What is learned of a file that can only be read holds for what it was when it was opened: if
    // somebody else has changed it since, it will not be that any more when it is opened again.
    const FileIdentity now = identity_now(*storage);
    if (trace::Writer* writer = recorder()) {
        write_storage(*storage, *writer);
        trace::StorageClosed record{};
        record.time = trace::monotonic_now();
        record.number = storage->number;
        record.size = now.size;
        writer->append(record);
    }
    const std::lock_guard guard(mutex);
    remember(*storage, now);
    open_storages->remove_if([&](const StorageRecord& one) { return &one == storage; });
}

void write_storage(StorageRecord& storage, trace::Writer& writer) noexcept {
    if (storage.is_written) return;
    storage.is_written = true;
    trace::Storage record{};
    if (is_writable(storage)) record.prefix.flags |= trace::kFileWritable;
    if (storage.is_carved) record.prefix.flags |= trace::kFileCarved;
    record.time = trace::monotonic_now();
    record.number = storage.number;
    record.path = writer.text(storage.path);
    record.driver = writer.text(storage.driver);
    record.library = number_of(*storage.library, writer);
    record.device = storage.identity.device;
    record.inode = storage.identity.inode;
    record.born = storage.identity.born;
    record.size = storage.identity.size;
    writer.append(record);
    if (storage.identity.device == 0) return;
    trace::StorageModified state{};
    state.time = record.time;
    state.number = storage.number;
    state.modified = static_cast<uint64_t>(storage.identity.modified);
    writer.append(state);
}

StorageRecord* storage_of_file(Library& library, unsigned long serial, const char* name) noexcept {
    StorageRecord* storage = storage_with_serial(library, serial);
    if (storage == nullptr || storage->file != nullptr || !storage->path.empty()) return storage;
    try {
        storage->path = absolute(name);
        storage->identity = identity_of_path(storage->path);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
    return storage;
}

StorageRecord* storage_with_serial(Library& library, unsigned long serial) noexcept {
    try {
        const std::lock_guard guard(mutex);
        for (auto storage = open_storages->begin(); storage != open_storages->end(); ++storage) {
            if (!is_with_serial(*storage, library, serial)) continue;
            // Whoever is asked for now will be asked for again.
            open_storages->splice(open_storages->begin(), *open_storages, storage);
            return &*storage;
        }
        StorageRecord& storage = open_storages->emplace_front();
        storage.library = &library;
        storage.serial = serial;
        storage.life = library.life;
        if (trace::Writer* writer = recorder()) storage.number = writer->new_number();
        return &storage;
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
        return nullptr;
    }
}

}  // namespace quarry::connector
