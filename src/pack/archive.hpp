// Tar files that are compressed with zstd, of ordinary files only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <quarry/pack.hpp>
#include <span>

struct archive;

namespace quarry::pack_files {

using HearBytes = std::function<void(uint64_t bytes)>;

class ArchiveWriter {
public:
    // Every file in it is of that time, in nanoseconds since 1970. Errors tell the name that it
    // will have.
    static Result<ArchiveWriter> create(const std::string& path, const std::string& name,
                                        uint64_t time);

    Result<bool> add(const PackedFile& entry, const std::string& file, const HearBytes& hear);
    Result<bool> finish();

private:
    using Handle = std::unique_ptr<archive, int (*)(archive*)>;
    ArchiveWriter(Handle handle, std::string name, uint64_t time)
        : handle_(std::move(handle)), name_(std::move(name)), time_(time) {}
    Error failed() const;

    Handle handle_;
    std::string name_;
    uint64_t time_;
};

class ArchiveReader {
public:
    static Result<ArchiveReader> open(const std::string& path);

    struct Entry {
        std::string path;
        uint64_t size = 0;
        bool is_ordinary = false;  // a file, and no link or device
    };
    // Nothing at the end.
    Result<std::optional<Entry>> next();
    // The bytes of the current entry, part by part; stops when `take` has had enough.
    Result<bool> read(const std::function<bool(std::span<const std::byte>)>& take);

private:
    using Handle = std::unique_ptr<archive, int (*)(archive*)>;
    ArchiveReader(Handle handle, std::string path)
        : handle_(std::move(handle)), path_(std::move(path)) {}
    Error failed() const;

    Handle handle_;
    std::string path_;
};

}  // namespace quarry::pack_files
