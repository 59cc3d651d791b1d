#include "connector/same_data.hpp"

namespace quarry::connector {

SameData::SameData(StorageRecord* storage, H5FD_t& inner, Then then) noexcept
    : inner_(inner), then_(then) {
    if (storage == nullptr || !is_writable(*storage) || storage->is_in_memory ||
        storage->has_new_data)
        return;
    const trace::Writer* writer = recorder();
    if (writer == nullptr || writer->level() < RecordLevel::Io) return;
    before_ = identity_of(inner, storage->path);
    if (before_.device != 0) storage_ = storage;
}

SameData::~SameData() {
    if (storage_ == nullptr) return;
    const FileIdentity after = then_ == Then::Open ? identity_of(inner_, storage_->path)
                                                   : identity_of_path(storage_->path);
    const bool is_same_file = after.device == before_.device && after.inode == before_.inode;
    trace::Writer* writer = recorder();
    if (!is_same_file || after.modified == before_.modified || writer == nullptr) return;
    write_storage(*storage_, *writer);
    trace::StorageTouched record{};
    record.time = trace::monotonic_now();
    record.number = storage_->number;
    record.before = static_cast<uint64_t>(before_.modified);
    record.after = static_cast<uint64_t>(after.modified);
    writer->append(record);
}

}  // namespace quarry::connector
