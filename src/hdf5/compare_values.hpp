// Values of two files side by side, as they were read into memory.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hdf5/pairs.hpp"
#include "hdf5/side.hpp"

namespace quarry::hdf5 {

// What of the bytes of a value is a value itself, and what says where others are.
struct ValueShape {
    enum class Kind { Bytes, Text, Sequence, Repeated, Compound, Address, OldRegion, Reference };
    struct Part;

    Kind kind = Kind::Bytes;
    size_t size = 0;
    std::vector<Part> parts;
};
struct ValueShape::Part {
    size_t offset;
    ValueShape shape;
};
ValueShape shape_of(hid_t type);

// What a reference to an object leads to; nothing where there is none.
std::optional<Token> object_behind(const Side& side, const std::byte* value,
                                   const ValueShape& shape);

// How to read values of a type into memory; answers as HDF5 does.
struct Reading {
    hid_t type;
    std::function<herr_t(void* values)> read;
};

class ValueComparison {
public:
    ValueComparison(const Side& old, const Side& copy, const Pairs& pairs)
        : old_(old), copy_(copy), pairs_(pairs) {}

    // The number of the first value that is another. References are the same if they lead to the
    // same in both files, or to nothing.
    std::optional<size_t> first_difference(const std::byte* old, const std::byte* copy,
                                           size_t count, const ValueShape& shape) const;
    // The same for values that are yet to be read, as many as `space` has.
    std::optional<size_t> first_difference(const Reading& old, const Reading& copy, hid_t space,
                                           const std::string& what) const;

private:
    bool are_same(const std::byte* old, const std::byte* copy, const ValueShape& shape) const;
    bool are_same_sequences(const std::byte* old, const std::byte* copy,
                            const ValueShape& element) const;
    bool are_same_addresses(const std::byte* old, const std::byte* copy) const;
    bool are_same_old_regions(const std::byte* old, const std::byte* copy) const;
    bool are_same_references(const std::byte* old, const std::byte* copy) const;
    bool is_pair(hid_t old, hid_t copy) const;

    const Side& old_;
    const Side& copy_;
    const Pairs& pairs_;
};

}  // namespace quarry::hdf5
