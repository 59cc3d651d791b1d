// Why input files are copied whole, where more than one part of Quarry finds it out.
#pragma once

namespace quarry {

inline constexpr const char* kIsRawToo = "it also holds data of a dataset in another file";

}  // namespace quarry
