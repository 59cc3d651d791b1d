// A dataset's type, shape, layout and filters, as a trace keeps them.
#pragma once

#include <string>

#include "hdf5/api.hpp"

namespace quarry::hdf5 {

// JSON, in three parts that are learned one by one, as docs/formats/trace.md has it. They enter
// HDF5's API, and may throw std::bad_alloc.
std::string describe_type(const Api& api, hid_t type);
std::string describe_shape(const Api& api, hid_t space);
std::string describe_layout(const Api& api, hid_t creation_list);

// The last part, for data that lies in one piece and will not be filled.
inline constexpr const char* kInOnePiece = ",\"layout\":\"contiguous\"";

std::string describe_dataset(const std::string& type, const std::string& shape,
                             const std::string& layout);

}  // namespace quarry::hdf5
