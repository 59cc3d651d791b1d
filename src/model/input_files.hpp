// What more than one part of Quarry finds out of input files.
#pragma once

#include <string_view>

namespace quarry {

// Why they are copied whole.
inline constexpr const char* kIsRawToo = "it also holds data of a dataset in another file";

// Whether this driver of HDF5 keeps a file in several.
inline bool is_spread(std::string_view driver) {
    return driver == "family" || driver == "multi";
}

}  // namespace quarry
