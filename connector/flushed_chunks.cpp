#include "connector/flushed_chunks.hpp"

#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

struct Search {
    trace::Writer* writer;
    KnownObject* dataset;
};

int compare_with_chunk(const hsize_t*, unsigned, haddr_t address, hsize_t size, void* data) {
    const auto& search = *static_cast<const Search*>(data);
    auto& unowned = search.dataset->storage->unowned;
    if (unowned.erase(address) == 0) return H5_ITER_CONT;
    trace::ChunkFound record{};
    record.object = search.dataset->number;
    record.time = trace::monotonic_now();
    record.address = address;
    record.size = size;
    search.writer->append(record);
    return unowned.empty() ? H5_ITER_STOP : H5_ITER_CONT;
}

}  // namespace

void claim_flushed_chunks(const Object& dataset, hid_t transfer) noexcept {
    KnownObject* known = dataset.known;
    trace::Writer* writer = recorder();
    if (writer == nullptr || known == nullptr || known->chunk.empty() || !known->was_written ||
        known->storage->unowned.empty() || !dataset.under->is_native)
        return;
    known->was_written = false;
    // What this reads and writes is done for that dataset.
    const Operation operation(known, transfer);
    Search search{writer, known};
    H5VL_native_dataset_optional_args_t native{};
    native.chunk_iter.op = compare_with_chunk;
    native.chunk_iter.op_data = &search;
    H5VL_optional_args_t question{H5VL_NATIVE_DATASET_CHUNK_ITER, &native};
    dataset.under->callbacks->dataset_cls.optional(dataset.below, &question, transfer, nullptr);
}

}  // namespace quarry::connector
