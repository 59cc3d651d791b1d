// What HDF5 reads and writes for accesses to a dataset that is stored in some way.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analyze/chunk_cache.hpp"
#include "model/selection.hpp"

namespace quarry::analyze {

class StorageModel {
public:
    virtual ~StorageModel() = default;
    virtual void access(const Selection& selection, std::span<const uint64_t> shape,
                        bool writes) = 0;
    // The last handle of the dataset in a process was closed: what was kept is gone.
    virtual void close() = 0;

    const RawTraffic& moved() const { return moved_; }

protected:
    RawTraffic moved_;
};

// Contiguous where there are no chunks.
struct Storage {
    std::vector<uint64_t> chunks;
    uint64_t element_size = 1;
    bool has_filters = false;  // then only what lies in the dataset is counted, uncompressed
    bool exists = true;        // in the file, before the first access
    bool filled = false;       // the fill value is written wherever room is made
    CacheSize cache;
};

std::unique_ptr<StorageModel> model_of(const Storage& storage);

}  // namespace quarry::analyze
