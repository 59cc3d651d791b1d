#include "connector/io_record.hpp"

#include <new>

namespace quarry::connector {
namespace {

constexpr size_t kUnowned = 100'000;

}  // namespace

IoRecord::IoRecord(StorageRecord& storage, const H5FD_t& file) noexcept
    : writer_(recorder()), storage_(storage), start_(trace::monotonic_now()) {
    if (writer_->level() < RecordLevel::Io) {
        writer_ = nullptr;
        return;
    }
    write_storage(storage, *writer_);
    // HDF5 tells the driver of a user block once it has found the superblock behind it.
    if (storage.base == file.base_addr) return;
    storage.base = file.base_addr;
    trace::StorageBase record{};
    record.time = start_;
    record.number = storage.number;
    record.base = storage.base;
    writer_->append(record);
}

void IoRecord::write(const Movement& movement) const noexcept {
    if (writer_ == nullptr) return;
    trace::Io record{};
    record.prefix.flags = static_cast<uint8_t>((movement.writes ? trace::kIoWrite : 0) |
                                               (movement.failed ? trace::kIoFailed : 0));
    record.storage = storage_.number;
    record.object = current_call.object;
    record.operation = current_call.operation;
    record.memory = static_cast<uint8_t>(movement.type);
    record.address = movement.address;
    record.size = movement.size;
    record.start = start_;
    record.duration = trace::monotonic_now() - start_;
    writer_->append(record);
    const bool is_unowned = movement.writes && movement.type == H5FD_MEM_DRAW &&
                            record.object == trace::kNone && !movement.failed;
    if (is_unowned && storage_.unowned.size() < kUnowned) remember_unowned(movement.address);
}

void IoRecord::remember_unowned(haddr_t address) const noexcept {
    try {
        storage_.unowned.insert(address);
    } catch (const std::bad_alloc&) {
        return;  // whose it is will not be known, and the summary says how much that is
    }
}

}  // namespace quarry::connector
