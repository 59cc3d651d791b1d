// What a trace would have moved, had a dataset been stored otherwise.
#pragma once

#include <quarry/result.hpp>
#include <quarry/trace.hpp>

namespace quarry {

struct OtherLayout {
    std::vector<uint64_t> chunks;  // empty: as they were, or none
    bool contiguous = false;
    uint64_t cache_bytes = 0;  // of HDF5's cache of chunks; 0: as it was
};

// Of the raw data of a dataset; metadata is not foreseen.
struct RawTraffic {
    uint64_t reads = 0;
    uint64_t writes = 0;
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
};

struct Prediction {
    std::string file;
    std::string object;
    std::string layout;        // as it was
    std::string other_layout;  // as it would be
    RawTraffic measured;
    RawTraffic replayed;  // the same layout, foretold: how far the model is to be trusted here
    RawTraffic predicted;
    std::string caution;  // why the prediction is less sure than it could be; mostly empty
};

// `file` may be empty where only one has such an object, and otherwise be the end of its path.
Result<Prediction> what_if(const std::string& directory, const std::string& file,
                           const std::string& object, const OtherLayout& other);

// Of everything that is read of a file, metadata included.
struct PagedPrediction {
    std::string file;
    uint64_t page_size = 0;
    uint64_t buffer_size = 0;
    RawTraffic measured;
    RawTraffic predicted;
    std::string caution;
};

// If its space were given out in pages, and HDF5 kept as many of them as `buffer_size` holds.
Result<PagedPrediction> what_if_paged(const std::string& directory, const std::string& file,
                                      uint64_t page_size, uint64_t buffer_size);

}  // namespace quarry
