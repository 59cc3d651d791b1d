// A dataset's type, shape, layout and filters, as a trace keeps them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "hdf5/api.hpp"

namespace quarry::hdf5 {

// A type that a few numbers tell all of.
struct PlainType {
    H5T_class_t kind = H5T_NO_CLASS;  // integer or float
    bool is_signed = false;
    H5T_order_t order = H5T_ORDER_NONE;
    size_t size = 0;

    bool operator==(const PlainType&) const = default;
};

struct Shape {
    int rank = -1;  // negative: there are no elements, and no dimensions
    std::array<hsize_t, H5S_MAX_RANK> now;
    std::array<hsize_t, H5S_MAX_RANK> most;

    uint64_t elements() const;
};

// These enter HDF5's API.
std::optional<PlainType> plain_type_of(const Api& api, hid_t type);
void read_shape(const Api& api, hid_t space, Shape& shape);

// JSON, in three parts that are learned one by one, as docs/formats/trace.md has it. Those that are
// given an id enter HDF5's API; all may throw std::bad_alloc.
std::string describe_type(const Api& api, hid_t type);
std::string describe_type(const PlainType& type);
std::string describe_shape(const Shape& shape);
std::string describe_layout(const Api& api, hid_t creation_list);

// The last part, for data that lies in one piece and will not be filled.
inline constexpr const char* kInOnePiece = ",\"layout\":\"contiguous\"";

std::string describe_dataset(const std::string& type, const std::string& shape,
                             const std::string& layout);

}  // namespace quarry::hdf5
