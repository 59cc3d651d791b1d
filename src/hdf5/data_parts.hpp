// The values of a dataset, in parts that memory has room for.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace quarry::hdf5 {

// Values in memory; whatever HDF5 has put into the heap for them is given back.
class Values {
public:
    Values(hid_t type, hid_t space, size_t count);
    ~Values();
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;

    std::byte* data() { return bytes_.data(); }
    void are_filled() { filled_ = true; }

private:
    hid_t type_;
    hid_t space_;
    std::vector<std::byte> bytes_;
    bool filled_ = false;
};

size_t elements_in(hid_t space);

// Calls `use` with parts of the space, each small enough for memory: a number of its first
// dimensions at one place, and slabs of the next.
void each_part(hid_t space, size_t element, const std::function<void(hid_t part)>& use);

// The same, but with the chunks that there are: the others are to stay away.
void each_chunk(hid_t dataset, hid_t space, hid_t creation_list, const std::string& what,
                const std::function<void(hid_t part)>& use);

}  // namespace quarry::hdf5
