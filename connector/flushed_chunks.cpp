#include "connector/flushed_chunks.hpp"

#include <mutex>
#include <new>
#include <vector>

#include "base/fork.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

std::mutex mutex;
[[maybe_unused]] const bool mutex_is_free = keep_free_across_fork<mutex>();

Object* open_datasets = nullptr;

// A flush after every few values, of a dataset with many chunks, shall not walk over all of them
// each time: it waits until there is enough to find.
constexpr size_t kChunksPerFind = 64;
constexpr size_t kFewChunks = 1000;

struct Search {
    trace::Writer* writer;
    KnownObject* dataset;
    size_t chunks = 0;
};

int compare_with_chunk(const hsize_t*, unsigned, haddr_t address, hsize_t size, void* data) {
    auto& search = *static_cast<Search*>(data);
    ++search.chunks;
    std::set<haddr_t>& unowned = search.dataset->storage->unowned;
    const auto first = unowned.lower_bound(address);
    const auto behind = unowned.lower_bound(address + size);
    if (first == behind) return H5_ITER_CONT;
    unowned.erase(first, behind);
    trace::ChunkFound record{};
    record.object = search.dataset->number;
    record.time = trace::monotonic_now();
    record.address = address;
    record.size = size;
    search.writer->append(record);
    return H5_ITER_CONT;
}

// Asking for chunks may be a matter of all ranks of a parallel program, of which only some would
// ask.
bool may_own_some(const Object& dataset) {
    const KnownObject* known = dataset.known;
    return known != nullptr && !known->chunk.empty() &&
           (known->was_written || known->was_read_with_others) &&
           !known->storage->unowned.empty() && !is_parallel(*known->storage) &&
           dataset.under->is_native;
}

void look_for_chunks(const Object& dataset, trace::Writer& writer, hid_t transfer) {
    KnownObject& known = *dataset.known;
    known.was_written = known.was_read_with_others = false;
    // What this reads is read for that dataset.
    const Operation operation(&known, transfer);
    Search search{&writer, &known};
    H5VL_native_dataset_optional_args_t native{};
    native.chunk_iter.op = compare_with_chunk;
    native.chunk_iter.op_data = &search;
    H5VL_optional_args_t question{H5VL_NATIVE_DATASET_CHUNK_ITER, &native};
    dataset.under->callbacks->dataset_cls.optional(dataset.below, &question, transfer, nullptr);
    known.chunks_seen = search.chunks;
}

uint64_t chunks_of(const KnownObject& dataset) {
    uint64_t elements = 1;
    for (const uint64_t size : dataset.chunk) elements *= size;
    return elements > 0 ? dataset.elements / elements : 0;
}

bool are_worth_a_walk(uint64_t chunks, const StorageRecord& storage) {
    return chunks <= kChunksPerFind * storage.unowned.size() + kFewChunks;
}

std::vector<const Object*> open_in(const StorageRecord& storage) {
    const std::lock_guard guard(mutex);
    std::vector<const Object*> datasets;
    for (const Object* dataset = open_datasets; dataset != nullptr; dataset = dataset->next_listed)
        if (dataset->listed_in == &storage) datasets.push_back(dataset);
    return datasets;
}

}  // namespace

void list_dataset(Object& dataset) noexcept {
    const KnownObject* known = dataset.known;
    if (known == nullptr || (known->is_described && known->chunk.empty())) return;
    const std::lock_guard guard(mutex);
    dataset.listed_in = known->storage;
    dataset.next_listed = open_datasets;
    if (open_datasets != nullptr) open_datasets->previous_listed = &dataset;
    open_datasets = &dataset;
}

void unlist_dataset(Object& dataset) noexcept {
    const std::lock_guard guard(mutex);
    Object*& before =
        dataset.previous_listed != nullptr ? dataset.previous_listed->next_listed : open_datasets;
    before = dataset.next_listed;
    if (dataset.next_listed != nullptr)
        dataset.next_listed->previous_listed = dataset.previous_listed;
}

void claim_flushed_chunks(const StorageRecord& storage, hid_t transfer) noexcept {
    trace::Writer* writer = recorder();
    if (writer == nullptr || storage.unowned.empty()) return;
    try {
        for (const Object* dataset : open_in(storage)) {
            if (may_own_some(*dataset) && are_worth_a_walk(dataset->known->chunks_seen, storage))
                look_for_chunks(*dataset, *writer, transfer);
        }
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void claim_flushed_chunks(const Object& dataset, hid_t transfer) noexcept {
    trace::Writer* writer = recorder();
    if (writer == nullptr || !may_own_some(dataset)) return;
    // Whoever only reads shall not read all of a large index for us.
    const KnownObject& known = *dataset.known;
    if (known.was_written || are_worth_a_walk(chunks_of(known), *known.storage))
        look_for_chunks(dataset, *writer, transfer);
}

}  // namespace quarry::connector
