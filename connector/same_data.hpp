// What gives a file another time of change, and no other data: HDF5 writes the first block of each
// file again that was opened for writing, also if it was only read.
#pragma once

#include "connector/storage_record.hpp"

namespace quarry::connector {

// While a driver does such a thing. One time after the other tells whether somebody else has
// changed the file in between.
class SameData {
public:
    enum class Then : uint8_t { Open, Closed };

    // Notes nothing without a storage, or where HDF5 has written data since it was opened.
    SameData(StorageRecord* storage, H5FD_t& inner, Then then = Then::Open) noexcept;
    ~SameData();
    SameData(const SameData&) = delete;
    SameData& operator=(const SameData&) = delete;

private:
    StorageRecord* storage_ = nullptr;
    H5FD_t& inner_;
    Then then_;
    FileIdentity before_;
};

}  // namespace quarry::connector
