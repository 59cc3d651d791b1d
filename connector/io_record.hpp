// One movement of bytes by a driver, in the trace.
#pragma once

#include "connector/operation.hpp"
#include "connector/storage_record.hpp"

namespace quarry::connector {

struct Movement {
    H5FD_mem_t type;
    haddr_t address;
    size_t size;
    bool writes;
    bool failed;
    bool is_superblock = false;  // that is written, and nothing else
};

// Made before the bytes are moved, written after.
class IoRecord {
public:
    IoRecord(StorageRecord& storage, const H5FD_t& file) noexcept;
    void write(const Movement& movement) const noexcept;
    // For elements of that size, selected in a space that begins at that address.
    void write_selected(const Movement& element, hid_t space) const noexcept;

private:
    void remember_unowned(haddr_t address) const noexcept;

    trace::Writer* writer_;
    StorageRecord& storage_;
    uint64_t start_;
};

// HDF5 has made room for metadata between the old end of the file and the new.
void record_allocation(StorageRecord& storage, haddr_t old_end, haddr_t new_end) noexcept;

}  // namespace quarry::connector
