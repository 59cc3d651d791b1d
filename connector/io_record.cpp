#include "connector/io_record.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "hdf5/select.hpp"
#include "model/selection_runs.hpp"

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
    const auto own = trace::OwnTime::sampled(writer_, start_);
    trace::Io record{};
    const bool is_discarded = movement.writes && storage_.is_in_memory;
    record.prefix.flags = static_cast<uint8_t>((movement.writes ? trace::kIoWrite : 0) |
                                               (movement.failed ? trace::kIoFailed : 0) |
                                               (is_discarded ? trace::kIoDiscarded : 0) |
                                               (movement.is_superblock ? trace::kIoSuperblock : 0));
    if (movement.writes && !movement.is_superblock) storage_.has_new_data = true;
    record.storage = storage_.number;
    record.object = current_call.object;
    record.operation = current_call.operation;
    record.memory = static_cast<uint8_t>(movement.type);
    record.address = movement.address;
    record.size = movement.size;
    record.start = start_;
    record.duration = trace::monotonic_now() - start_;
    writer_->append(record);
    const bool is_unowned =
        movement.type == H5FD_MEM_DRAW && record.object == trace::kNone && !movement.failed;
    if (is_unowned && storage_.unowned.size() < kUnowned) remember_unowned(movement.address);
}

void IoRecord::write_selected(const Movement& element, hid_t space) const noexcept {
    if (writer_ == nullptr) return;
    const hdf5::Api& api = storage_.library->api;
    try {
        std::array<hsize_t, H5S_MAX_RANK> extent;
        const int rank = api.H5Sget_simple_extent_dims(space, extent.data(), nullptr);
        const std::vector<uint64_t> shape(extent.begin(), extent.begin() + std::max(rank, 0));
        each_run(hdf5::selection_of(api, space), shape, [&](uint64_t first, uint64_t count) {
            Movement run = element;
            run.address += first * element.size;
            run.size = count * element.size;
            write(run);
            return true;
        });
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void IoRecord::remember_unowned(haddr_t address) const noexcept {
    try {
        storage_.unowned.insert(address);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void record_allocation(StorageRecord& storage, haddr_t old_end, haddr_t new_end) noexcept {
    // When a file is opened its end is found, and that is no room that anybody has taken.
    if (!is_writable(storage) || new_end == HADDR_UNDEF || new_end <= old_end) return;
    trace::Writer* writer = recorder();
    if (writer->level() < RecordLevel::Io) return;
    write_storage(storage, *writer);
    trace::Allocated record{};
    record.storage = storage.number;
    record.object = current_call.object;
    record.operation = current_call.operation;
    record.time = trace::monotonic_now();
    record.address = old_end;
    record.size = new_end - old_end;
    writer->append(record);
}

}  // namespace quarry::connector
